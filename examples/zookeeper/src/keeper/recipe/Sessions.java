/* SPDX-License-Identifier: Apache-2.0 */
package keeper.recipe;

import common.Journal;
import java.util.concurrent.atomic.LongAccumulator;

/** The sessions of one machine, one after the other: usually one. All its threads share the current one. */
public final class Sessions {
    /** Something that a lost session undoes, so that it has to be done from its beginning in another one. */
    @FunctionalInterface
    public interface Step {
        void take(Session session) throws SessionLost, InterruptedException;
    }

    private final String servers;
    private final int timeoutMillis;
    private final Journal journal;
    private final LongAccumulator slowest = new LongAccumulator(Math::max, 0);
    private Session current;

    /** Servers as HOST:PORT,HOST:PORT,... */
    public Sessions(String servers, int timeoutMillis, Journal journal) {
        this.servers = servers;
        this.timeoutMillis = timeoutMillis;
        this.journal = journal;
    }

    /** A new one if there is none, or if it is lost. */
    public synchronized Session current() throws InterruptedException {
        if (current == null || current.isLost()) {
            current = Session.open(servers, timeoutMillis, slowest);
            journal.append("sessions", current.id());
            journal.event("session", current.id());
        }
        return current;
    }

    /** Takes the step in the current session, and anew in the next one as often as it is lost on the way. */
    public void insist(Step step) throws InterruptedException {
        while (true) {
            try {
                step.take(current());
                return;
            } catch (SessionLost e) {
                journal.event("lost", e.getMessage());
            }
        }
    }

    /** How long the slowest request took, with all its repetitions. */
    public long slowestMillis() {
        return slowest.get() / 1_000_000;
    }

    public synchronized void close() throws InterruptedException {
        if (current != null) {
            current.close();
        }
    }
}
