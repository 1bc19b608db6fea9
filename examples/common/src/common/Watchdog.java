/* SPDX-License-Identifier: Apache-2.0 */
package common;

/**
 * Bounds the life of a machine: whatever the others do or do not do, it ends, and says how far it came.
 */
public final class Watchdog implements Runnable {
    /** Exit status of a machine that ran out of time. */
    public static final int OUT_OF_TIME = 4;
    /** Exit status of a machine in which a thread died of an error. */
    public static final int BROKEN = 3;

    private static final long MILLION = 1_000_000;
    private static final long LONGEST_NAP_MILLIS = 1000;

    private final Journal journal;
    private final long limitMillis;
    private long starvedMillis;

    private Watchdog(Journal journal, long limitMillis) {
        this.journal = journal;
        this.limitMillis = limitMillis;
    }

    /**
     * Starts the watch, and makes the death of any thread the end of the machine.
     *
     * @param limitMillis how long the machine may live. On a busy computer it gets more: time in which its threads
     *     waited for a processor is not counted, so that a run is not judged by what else the computer does. Never
     *     more than four times as much.
     */
    public static void watch(Journal journal, long limitMillis) {
        Thread.setDefaultUncaughtExceptionHandler((thread, error) -> {
            error.printStackTrace();
            halt(journal, "broken: " + thread.getName() + ": " + error, BROKEN);
        });
        Thread thread = new Thread(new Watchdog(journal, limitMillis), "Watchdog");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void run() {
        long begin = System.nanoTime();
        try {
            for (long left = limitMillis; left > 0;) {
                Thread.sleep(Math.min(left, LONGEST_NAP_MILLIS));
                left = limitMillis - granted((System.nanoTime() - begin) / MILLION);
            }
        } catch (InterruptedException e) {
            return;
        }
        halt(journal, "out of time", OUT_OF_TIME);
    }

    /**
     * What counts of the time that has passed: not that in which threads wanted to run and others had the processors.
     * At least a quarter counts, whatever the threads waited for together.
     */
    private long granted(long passedMillis) {
        starvedMillis = Math.max(starvedMillis, RunDelay.millis());
        return Math.max(passedMillis / 4, passedMillis - starvedMillis);
    }

    /** No orderly exit: what hangs could hang that as well. */
    private static void halt(Journal journal, String end, int status) {
        try {
            journal.writeState(end);
        } finally {
            Runtime.getRuntime().halt(status);
        }
    }
}
