/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.siege;

import java.io.Serializable;

/** A stretch of possible divisors, {@code from} included, {@code to} not; {@code from} is a multiple of 6. */
public record Sector(long from, long to) implements Serializable {

    /** Refuses what was damaged on its way. */
    public Sector {
        if (from < 0 || from % 6 != 0 || to <= from || to - from > Siege.WIDTH) {
            throw new IllegalArgumentException("no sector: " + from + " to " + to);
        }
    }
}
