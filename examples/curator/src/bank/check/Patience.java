/* SPDX-License-Identifier: Apache-2.0 */
package bank.check;

import common.RunDelay;

/**
 * A time limit that is longer on a busy computer: time in which threads of this JVM waited for a
 * processor does not count, but at least a share of what has passed does.
 */
final class Patience {
    private final long limitMillis;
    private final int times;
    private final long begin = System.nanoTime();
    private final long starvedBefore = RunDelay.millis();

    /** Lasts between {@code limitMillis} and as many {@code times} that. */
    Patience(long limitMillis, int times) {
        this.limitMillis = limitMillis;
        this.times = times;
    }

    boolean left() {
        long passed = (System.nanoTime() - begin) / 1_000_000;
        return passed < limitMillis
                || passed < times * limitMillis && passed - (RunDelay.millis() - starvedBefore) < limitMillis;
    }
}
