/* SPDX-License-Identifier: Apache-2.0 */
package ledger.check;

import common.RunDelay;

/** A time limit in which time that threads waited for a processor counts only for a quarter of what has passed. */
final class Patience {
    private static final int LEAST_SHARE = 4;

    private final long limitMillis;
    private final long begin = System.nanoTime();
    private long starvedMillis;

    Patience(long limitMillis) {
        this.limitMillis = limitMillis;
    }

    boolean left() {
        long passed = (System.nanoTime() - begin) / 1_000_000;
        if (passed > limitMillis) {
            starvedMillis = Math.max(starvedMillis, RunDelay.millis());
        }
        return Math.max(passed / LEAST_SHARE, passed - starvedMillis) < limitMillis;
    }
}
