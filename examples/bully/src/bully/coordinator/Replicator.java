/* SPDX-License-Identifier: Apache-2.0 */
package bully.coordinator;

import common.Journal;
import common.fault.Defect;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * Keeps the copies of the search together, on a thread of its own: gathers the others' when its client takes office,
 * spreads its own when enough has changed, and publishes it when it is complete.
 */
public final class Replicator implements Runnable {
    /** The other copies, wherever they are. */
    public interface Peers {
        /** The others' copies; those that cannot be had are left out. */
        List<SearchState> collect();

        /** Returns when all others were sent it, or could not be. */
        void spread(SearchState copy) throws InterruptedException;

        /**
         * Tells the message server and all clients, this one included, that the search is complete; false if the
         * message server could not be told.
         */
        boolean complete(SearchState copy);
    }

    /** Findings between two replications. */
    private static final int EVERY = 8;

    private final SearchState state;
    private final Peers peers;
    private final Journal journal;
    /** Held during a round of spreading. */
    private final Object round = new Object();
    private IntConsumer listener = left -> { };
    private boolean gathering;
    private boolean completed;
    private int changes;

    public Replicator(SearchState state, Peers peers, Journal journal) {
        this.state = state;
        this.peers = peers;
        this.journal = journal;
    }

    /** Who is told after each round how many numbers were left in it. To be called before the thread is started. */
    public void listen(IntConsumer listener) {
        this.listener = listener;
    }

    synchronized void gather() {
        gathering = true;
        notifyAll();
    }

    /** Whether the others' copies are still awaited. */
    synchronized boolean gathering() {
        return gathering;
    }

    synchronized void changed() {
        changes++;
        if (!Defect.strikes("lost-wakeup", "replicator")) {
            notifyAll();
        }
    }

    @Override
    public void run() {
        try {
            while (true) {
                awaitWork();
                replicate();
            }
        } catch (InterruptedException e) {
            journal.event("replicator", "stopped");
        }
    }

    private synchronized void awaitWork() throws InterruptedException {
        while (!gathering && changes < EVERY && (completed || changes == 0 || state.left() > 0)) {
            wait();
        }
        changes = 0;
    }

    private void replicate() throws InterruptedException {
        if (gathering()) {
            for (SearchState copy : peers.collect()) {
                state.merge(copy);
            }
            gathered();
        }
        spread(state.copy());
        if (state.left() == 0 && !completed) {
            completed = peers.complete(state.copy());
        }
    }

    /**
     * Sends a copy around. What is held meanwhile must not be this object's own lock: the coordinator holds its lock
     * when it comes here for that one, and is called from here.
     */
    private void spread(SearchState copy) throws InterruptedException {
        synchronized (Defect.strikes("deadlock", "replicator") ? this : round) {
            peers.spread(copy);
            listener.accept(copy.left());
        }
    }

    private synchronized void gathered() {
        gathering = false;
        notifyAll();
    }
}
