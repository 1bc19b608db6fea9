/* SPDX-License-Identifier: Apache-2.0 */
package bully.client;

import java.math.BigInteger;

/** Tells primes from other numbers: small divisors first, then Fermat's test, then a proof by trial division. */
final class PrimalityTest {
    private static final int[] SMALL = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47};
    private static final BigInteger BASE = BigInteger.TWO;

    boolean isPrime(long number) {
        if (number < 2) {
            return false;
        }
        for (int divisor : SMALL) {
            if (number % divisor == 0) {
                return number == divisor;
            }
        }
        return passesFermat(number) && survivesTrialDivision(number);
    }

    private boolean passesFermat(long number) {
        BigInteger modulus = BigInteger.valueOf(number);
        BigInteger exponent = modulus.subtract(BigInteger.ONE);
        return BASE.modPow(exponent, modulus).equals(BigInteger.ONE);
    }

    /** All divisors of the form 6k - 1 and 6k + 1 up to the root. */
    private boolean survivesTrialDivision(long number) {
        long root = (long) Math.sqrt((double) number) + 1;
        for (long divisor = 5; divisor <= root; divisor += 6) {
            if (divides(divisor, number) || divides(divisor + 2, number)) {
                return false;
            }
        }
        return true;
    }

    private static boolean divides(long divisor, long number) {
        return number % divisor == 0 && number != divisor;
    }
}
