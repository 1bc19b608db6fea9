/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.algorithm;

import java.io.Serializable;

/** A message of the algorithm: in this round, by way of these generals, this order. Round 0 is a drill. */
public record Dispatch(int round, Path path, Order order) implements Serializable {

    /** Refuses what was damaged on its way so that nothing can be done with it. */
    public Dispatch {
        if (round < 0 || path == null || order == null) {
            throw new IllegalArgumentException("no dispatch: round " + round + ", " + path + ", " + order);
        }
    }

    @Override
    public String toString() {
        return "round " + round + ", " + path + ": " + order;
    }
}
