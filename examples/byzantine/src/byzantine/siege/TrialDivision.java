/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.siege;

import java.math.BigInteger;

/** Searches a sector for a divisor: 2 and 3 in the first one, and all 6k + 1 and 6k + 5. */
final class TrialDivision {
    private TrialDivision() {
    }

    /** The least divisor in the sector that is neither 1 nor the number itself; null if there is none. */
    static BigInteger search(BigInteger number, Sector sector) {
        if (sector.from() == 0) {
            for (long divisor = 2; divisor <= 3; divisor++) {
                if (divides(divisor, number)) {
                    return BigInteger.valueOf(divisor);
                }
            }
        }
        for (long base = sector.from(); base < sector.to(); base += 6) {
            if (divides(base + 1, number)) {
                return BigInteger.valueOf(base + 1);
            }
            if (divides(base + 5, number)) {
                return BigInteger.valueOf(base + 5);
            }
        }
        return null;
    }

    private static boolean divides(long divisor, BigInteger number) {
        BigInteger factor = BigInteger.valueOf(divisor);
        return divisor > 1 && number.mod(factor).signum() == 0 && !number.equals(factor);
    }
}
