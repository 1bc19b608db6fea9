/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.army;

import common.Journal;
import java.util.HashMap;
import java.util.Map;

/** Asks the others again and again how they are, and puts on the board who has not answered for too long. */
public final class Sentry implements Runnable {
    private static final long PERIOD_MILLIS = 100;
    /** Who does not answer for so long is lost; a call that gets no response ends before. */
    private static final long LOST_MILLIS = 3500;
    /** A beat that takes so long is worth a line in the journal. */
    private static final long LONG_BEAT_MILLIS = 700;
    /** A ping is not repeated; the next one comes soon. */
    private static final long ONCE = 0;

    private final Army army;
    private final Allies allies;
    private final Standing standing;
    private final Journal journal;
    private final Map<Integer, Long> heardNanos = new HashMap<>();

    public Sentry(Army army, Allies allies, Standing standing, Journal journal) {
        this.army = army;
        this.allies = allies;
        this.standing = standing;
        this.journal = journal;
    }

    @Override
    public void run() {
        try {
            while (true) {
                beat();
                Thread.sleep(PERIOD_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void beat() throws InterruptedException {
        Hourglass hourglass = new Hourglass(LONG_BEAT_MILLIS, () -> journal.count("long_beats", 1));
        try {
            for (Ally ally : allies.all()) {
                ping(ally);
            }
        } finally {
            hourglass.stop();
        }
    }

    private void ping(Ally ally) throws InterruptedException {
        try {
            ally.ask("ping", ONCE, general -> general.ping(army.self()));
            heardNanos.put(ally.number(), System.nanoTime());
            if (standing.regain(ally.number())) {
                journal.event("regained", ally.name());
            }
        } catch (UnreachableException e) {
            long since = heardNanos.computeIfAbsent(ally.number(), number -> System.nanoTime());
            if (System.nanoTime() - since > LOST_MILLIS * 1_000_000 && standing.lose(ally.number())) {
                journal.event("lost", ally.name());
                journal.append("lost", ally.name());
            }
        }
    }
}
