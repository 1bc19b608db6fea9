/* SPDX-License-Identifier: Apache-2.0 */
package bully.coordinator;

import java.io.Serializable;

/**
 * Some numbers to test: {@code first}, and {@code count - 1} more, each two higher than the one before.
 *
 * @param index position of the task in the search
 */
public record Task(int index, long first, int count) implements Serializable {
    public long number(int position) {
        return first + 2L * position;
    }
}
