/* SPDX-License-Identifier: Apache-2.0 */
package bully.coordinator;

import java.io.Serializable;
import java.util.BitSet;

/**
 * What a client found out about a task.
 *
 * @param primes a bit a number of the task, set if it is prime
 */
public record Findings(Task task, BitSet primes) implements Serializable {
}
