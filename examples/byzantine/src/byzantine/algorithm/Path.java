/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.algorithm;

import java.io.Serializable;

/**
 * The way of an order: a digit for each general who said it, the commander's first. {@code 02} is what general 2 says
 * that general 0, the commander, told him.
 */
public record Path(String generals) implements Serializable {
    /** Longer ones would need more than ten generals. */
    private static final String FORM = "[0-9]{1,9}";

    /** Refuses what cannot be the way of an order. */
    public Path {
        if (generals == null || !generals.matches(FORM) || generals.chars().distinct().count() < generals.length()) {
            throw new IllegalArgumentException("no path: " + generals);
        }
    }

    public static Path of(int general) {
        return new Path(Integer.toString(general));
    }

    public Path then(int general) {
        return new Path(generals + general);
    }

    public int length() {
        return generals.length();
    }

    /** Who is said to have said it first. */
    public int first() {
        return generals.charAt(0) - '0';
    }

    /** Who said it last, and so sends it. */
    public int last() {
        return generals.charAt(generals.length() - 1) - '0';
    }

    public boolean has(int general) {
        return generals.indexOf('0' + general) >= 0;
    }

    @Override
    public String toString() {
        return generals;
    }
}
