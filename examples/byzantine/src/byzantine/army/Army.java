/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.army;

import java.util.ArrayList;
import java.util.List;

/** Who belongs to the army: general 0 is the commander, the others are lieutenants. */
public record Army(int size, int self) {

    public Army {
        if (size < 3 || size > 9 || self < 0 || self >= size) {
            throw new IllegalArgumentException("general " + self + " of " + size + ": 3 to 9 there may be");
        }
    }

    /** The army of which the general of this name is a part. */
    public static Army of(int size, String name) {
        for (int general = 0; general < size; general++) {
            if (name(general).equals(name)) {
                return new Army(size, general);
            }
        }
        throw new IllegalArgumentException("no general of " + size + " is called " + name);
    }

    public static String name(int general) {
        return general == 0 ? "Commander" : "Lieutenant " + (char) ('A' + general - 1);
    }

    public boolean has(int general) {
        return general >= 0 && general < size;
    }

    /** All but this one. */
    public List<Integer> others() {
        List<Integer> others = new ArrayList<>();
        for (int general = 0; general < size; general++) {
            if (general != self) {
                others.add(general);
            }
        }
        return others;
    }
}
