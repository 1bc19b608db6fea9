/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.general;

import byzantine.algorithm.Order;
import byzantine.siege.Targets;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** What the commander wants: an attack on each of some targets, drawn from the seed, and then the retreat. */
final class Plan {
    private final List<BigInteger> targets = new ArrayList<>();

    Plan(int attacks, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int attack = 0; attack < attacks; attack++) {
            targets.add(Targets.draw(random));
        }
    }

    /** The order of a round; the first is round 1. */
    Order order(int round) {
        return round <= targets.size() ? Order.attack(targets.get(round - 1)) : Order.RETREAT;
    }
}
