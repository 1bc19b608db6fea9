/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.army;

import java.io.Serializable;

/**
 * How a general is.
 *
 * @param ready whether he has found all others
 * @param round in which he is; 0 before the first
 * @param left sectors of the attack that he has not searched
 */
public record Report(boolean ready, int round, int left) implements Serializable {
}
