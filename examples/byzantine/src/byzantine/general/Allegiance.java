/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.general;

import byzantine.algorithm.Order;
import byzantine.army.Army;
import byzantine.siege.Targets;
import common.fault.Defect;
import java.util.SplittableRandom;

/**
 * What a general says when he should say something. A loyal one says the truth; one whose arguments make him disloyal
 * says nothing, or something else, to some of the others.
 *
 * <p>Whom he would deceive, and with what, is drawn from the seed for each round, for loyal generals too: they run the
 * same lines.
 */
final class Allegiance {
    private final Army army;
    private final long seed;

    Allegiance(Army army, long seed) {
        this.army = army;
        this.seed = seed;
    }

    /** His word to a general: the truth, or not, or null for silence. */
    Order word(int round, int to, Order truth) {
        if (round == Campaign.DRILL || !wouldDeceive(round, to)) {
            return truth;
        }
        if (Defect.strikes("disloyal-silent", "council")) {
            return null;
        }
        boolean lies = Defect.strikes("disloyal-lying", "council") || Defect.strikes("disloyal-commander", "council");
        return lies ? lie(round, to, truth) : truth;
    }

    /**
     * One in any case, the others perhaps. A commander spares one, for the same order to all would be an order, and a
     * lieutenant's words never go to the commander.
     */
    private boolean wouldDeceive(int round, int to) {
        SplittableRandom random = random(round, 0);
        int lieutenants = army.size() - 1;
        int victim = 1 + random.nextInt(lieutenants);
        int spared = army.self();
        if (army.self() == 0 || victim == army.self()) {
            int other = 1 + (victim + random.nextInt(lieutenants - 1)) % lieutenants;
            if (army.self() == 0) {
                spared = other;
            } else {
                victim = other;
            }
        }
        return to == victim || to != spared && random(round, to).nextBoolean();
    }

    private Order lie(int round, int to, Order truth) {
        SplittableRandom random = random(round, army.size() + to);
        return truth.isAttack() && random.nextBoolean() ? Order.RETREAT : Order.attack(Targets.draw(random));
    }

    private SplittableRandom random(int round, int salt) {
        return new SplittableRandom(((seed * 100 + army.self()) * 1000 + round) * 100 + salt);
    }
}
