package common;

/**
 * Bounds the life of a machine: whatever the others do or do not do, it ends, and says how far it came.
 */
public final class Watchdog implements Runnable {
    /** Exit status of a machine that ran out of time. */
    public static final int OUT_OF_TIME = 4;
    /** Exit status of a machine in which a thread died of an error. */
    public static final int BROKEN = 3;

    private final Journal journal;
    private final long limitMillis;

    private Watchdog(Journal journal, long limitMillis) {
        this.journal = journal;
        this.limitMillis = limitMillis;
    }

    /** Starts the watch, and makes the death of any thread the end of the machine. */
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
        try {
            Thread.sleep(limitMillis);
        } catch (InterruptedException e) {
            return;
        }
        halt(journal, "out of time", OUT_OF_TIME);
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
