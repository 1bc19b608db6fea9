/* SPDX-License-Identifier: Apache-2.0 */
package bully.coordinator;

import bully.algorithm.Member;
import bully.algorithm.Message.Kind;
import bully.algorithm.Message;
import common.Journal;
import common.fault.Defect;
import java.util.function.Supplier;

/**
 * Hands out tasks and takes in findings. Every client has one, which refuses unless its client was elected.
 *
 * <p>Requests come on RMI's threads.
 */
public final class Coordinator {
    private final SearchState state;
    private final Leases leases;
    private final Replicator replicator;
    private final Supplier<Member> self;
    private final Journal journal;
    private Thread clock;
    private boolean inOffice;

    public Coordinator(SearchState state, Replicator replicator, Supplier<Member> self, Journal journal) {
        this.state = state;
        this.leases = new Leases(state);
        this.replicator = replicator;
        this.self = self;
        this.journal = journal;
    }

    /** Starts to coordinate; what the others know is gathered before the first task is handed out. */
    public synchronized void takeOffice() {
        if (!inOffice) {
            inOffice = true;
            leases.clear();
            clock = LeaseClock.start(leases, journal);
            journal.event("office", "taken with " + state.left() + " numbers left");
            journal.count("offices", 1);
        }
        replicator.gather();
    }

    public synchronized void leaveOffice() {
        if (inOffice) {
            inOffice = false;
            clock.interrupt();
            journal.event("office", "left with " + state.left() + " numbers left");
        }
    }

    /** The others have copies in which so many numbers are left. */
    public synchronized void replicated(int left) {
        if (inOffice) {
            journal.put("replicated", Integer.toString(left));
        }
    }

    public Message answer(Message request) {
        try {
            // As long as what it depends on takes.
            Thread.sleep(Defect.millis("slow", "answer"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return switch (request.kind()) {
            case TASK_REQUEST -> assign(request);
            case REPORT -> take(request);
            case STATE_REQUEST -> request.reply(Kind.STATE, self.get(), state.copy());
            default -> throw new IllegalArgumentException("not a request: " + request);
        };
    }

    private synchronized Message assign(Message request) {
        if (!inOffice) {
            return refuse(request);
        }
        Task task = replicator.gathering() ? null : leases.lend(request.from().name(), request.number());
        if (state.left() == 0) {
            // The last result may have come with a copy, or an attempt to publish may have failed.
            replicator.changed();
        }
        return request.reply(task == null ? Kind.WAIT : Kind.TASK, self.get(), task);
    }

    private synchronized Message take(Message request) {
        if (!inOffice) {
            return refuse(request);
        }
        if (!state.record((Findings) request.body())) {
            journal.event("nonsense", request.toString());
        }
        replicator.changed();
        return request.reply(Kind.TAKEN, self.get(), state.left());
    }

    private Message refuse(Message request) {
        journal.count("refused", 1);
        return request.reply(Kind.REFUSED, self.get(), null);
    }
}
