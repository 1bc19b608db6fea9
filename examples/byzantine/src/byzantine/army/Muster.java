/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.army;

import common.Journal;
import java.nio.file.Path;
import java.util.function.Predicate;

/** How the generals find each other: each writes the port of his registry, and looks for all others. */
public final class Muster {
    private static final long PATIENCE_MILLIS = 30_000;
    private static final long PAUSE_MILLIS = 50;
    /** One call; that it may fail is expected, and it is made again. */
    private static final long ONCE = 0;

    private final Army army;
    private final Allies allies;
    private final Standing standing;
    private final Journal journal;

    public Muster(Army army, Allies allies, Standing standing, Journal journal) {
        this.army = army;
        this.allies = allies;
        this.standing = standing;
        this.journal = journal;
    }

    /** Lets the others find this general. */
    public void appear(Path directory, int port) {
        Journal.writeWhole(Ally.portFile(directory, army.self()), port + "\n");
    }

    /** Waits until all have found all. */
    public void gather() throws InterruptedException {
        awaitAll(report -> true);
        standing.markReady();
        awaitAll(Report::ready);
    }

    /** Waits until all have entered a round, so that it begins for everybody at about the same time. */
    public void awaitRound(int round) throws InterruptedException {
        awaitAll(report -> report.round() >= round);
    }

    private void awaitAll(Predicate<Report> condition) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE_MILLIS * 1_000_000;
        for (Ally ally : allies.all()) {
            await(ally, condition, end);
        }
    }

    private void await(Ally ally, Predicate<Report> condition, long end) throws InterruptedException {
        while (System.nanoTime() < end) {
            try {
                Report report = ally.ask("muster", ONCE, general -> general.ping(army.self()));
                if (condition.test(report)) {
                    return;
                }
            } catch (UnreachableException e) {
                journal.event("muster", ally.name() + " is not there yet");
            }
            Thread.sleep(PAUSE_MILLIS);
        }
        journal.event("muster", ally.name() + " did not come");
    }
}
