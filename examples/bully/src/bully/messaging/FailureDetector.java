/* SPDX-License-Identifier: Apache-2.0 */
package bully.messaging;

/** Takes clients off the roster that were not heard of for a while. */
final class FailureDetector implements Runnable {
    private static final long PERIOD_MILLIS = 300;
    /** Ten heartbeats: one that fails, and its retries, must not be mistaken for a death. */
    private static final long SILENCE_NANOS = 2_500_000_000L;

    private final Roster roster;

    private FailureDetector(Roster roster) {
        this.roster = roster;
    }

    static void start(Roster roster) {
        Thread thread = new Thread(new FailureDetector(roster), "Failure detector");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void run() {
        try {
            while (true) {
                Thread.sleep(PERIOD_MILLIS);
                sweep();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void sweep() {
        for (String name : roster.silentFor(SILENCE_NANOS)) {
            roster.lose(name, "silent");
        }
    }
}
