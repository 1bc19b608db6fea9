/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.algorithm;

import java.io.Serializable;
import java.math.BigInteger;

/**
 * What is to be agreed on: attack a target, which is a number to factor, or retreat. Two orders are the same if verb
 * and target are, and that is all the algorithm asks of them.
 */
public record Order(Verb verb, BigInteger target) implements Serializable {

    public enum Verb {
        ATTACK, RETREAT
    }

    /** The order of one who has heard none, and of a council without a majority. */
    public static final Order RETREAT = new Order(Verb.RETREAT, BigInteger.ZERO);

    /** Refuses what no general says; such an order was damaged on its way. */
    public Order {
        if (verb == null || target == null || (verb == Verb.ATTACK) != (target.signum() > 0)) {
            throw new IllegalArgumentException("no order: " + verb + " " + target);
        }
    }

    public static Order attack(BigInteger target) {
        return new Order(Verb.ATTACK, target);
    }

    public boolean isAttack() {
        return verb == Verb.ATTACK;
    }

    /** As the chronicles have it: {@code attack 33391} or {@code retreat}. */
    @Override
    public String toString() {
        return isAttack() ? "attack " + target : "retreat";
    }
}
