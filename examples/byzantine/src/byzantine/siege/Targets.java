/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.siege;

import java.math.BigInteger;
import java.util.SplittableRandom;

/** Draws what is worth an attack: products of two primes of about the same size, which take a search. */
public final class Targets {
    /** The smaller prime's range; the larger one comes from the next range of the same length. */
    private static final long LEAST = 5_000_000;
    private static final long RANGE = 1_000_000;

    private Targets() {
    }

    public static BigInteger draw(SplittableRandom random) {
        return prime(LEAST + random.nextLong(RANGE)).multiply(prime(LEAST + RANGE + random.nextLong(RANGE)));
    }

    private static BigInteger prime(long from) {
        return BigInteger.valueOf(from).nextProbablePrime();
    }
}
