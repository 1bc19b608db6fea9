/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.army;

import common.Journal;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Brings one general what is said to him, in order, in a thread of its own: one who is hard to reach does not hold up
 * what is meant for the others.
 */
final class Herald implements Runnable {
    private record Errand(String what, Ally.Message message) {
    }

    /** For so long an errand is tried. Longer than a call may take, so that it is tried twice at least. */
    private static final long BUDGET_MILLIS = 5000;
    private static final long POLL_MILLIS = 20;

    private final Ally ally;
    private final Journal journal;
    private final BlockingQueue<Errand> errands = new LinkedBlockingQueue<>();
    private volatile boolean away;

    Herald(Ally ally, Journal journal) {
        this.ally = ally;
        this.journal = journal;
    }

    void send(String what, Ally.Message message) {
        errands.add(new Errand(what, message));
    }

    /** Waits until all has been brought or given up, for some time at most. */
    void awaitReturn(long millis) throws InterruptedException {
        for (long waited = 0; waited < millis && (away || !errands.isEmpty()); waited += POLL_MILLIS) {
            Thread.sleep(POLL_MILLIS);
        }
    }

    @Override
    public void run() {
        try {
            while (true) {
                Errand errand = errands.take();
                away = true;
                bring(errand);
                away = false;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void bring(Errand errand) throws InterruptedException {
        try {
            ally.ask(errand.what(), BUDGET_MILLIS, general -> {
                errand.message().to(general);
                return null;
            });
        } catch (UnreachableException e) {
            journal.event("undelivered", e.toString());
            journal.count("undelivered", 1);
        }
    }
}
