/* SPDX-License-Identifier: Apache-2.0 */
package bully.algorithm;

import bully.algorithm.Message.Kind;
import common.Journal;
import common.fault.Defect;
import java.util.List;

/**
 * The bully election (H. Garcia-Molina, Elections in a Distributed Computing System, 1982), for one client.
 *
 * <p>A thread of its own holds elections on {@link #request}; the messages of others arrive on other threads and
 * only change what that thread waits for. A client asks all that are higher; if none answers in time it is the
 * coordinator; if one does, that one must announce a coordinator in time, or all begins again.
 */
public final class Election implements Runnable {
    /** What an election needs of its surroundings. */
    public interface Network {
        /** All members that the message server knows now. */
        List<Member> members();

        void send(Kind kind, Member to);

        /** This client has won. Called before the others are told. */
        void elected();

        /** Another has won. */
        void follow(Member coordinator);
    }

    /**
     * For the answer of a higher client: a hundred times what it takes when nothing fails. On a busy machine, and in
     * the first election, when all classes are still to be loaded, it takes longer; nobody must take over for that.
     */
    private static final long ANSWER_MILLIS = 4000;
    /** For the announcement, once a higher client has answered. It may have to wait for answers itself. */
    private static final long COORDINATOR_MILLIS = 8000;

    private final Network network;
    private final Journal journal;
    private Member self;
    private Member coordinator;
    private Member lastKnown;
    private boolean requested;
    private boolean answered;
    private boolean announced;

    public Election(Member self, Network network, Journal journal) {
        this.self = self;
        this.network = network;
        this.journal = journal;
    }

    /** The member that this client obeys, or null while none is known. */
    public synchronized Member coordinator() {
        return coordinator;
    }

    public synchronized boolean coordinates() {
        return self.equals(coordinator);
    }

    /** Asks for an election: when joining, and when the coordinator seems to be lost. */
    public synchronized void request(String why) {
        if (!requested) {
            journal.event("request-election", why);
        }
        requested = true;
        if (!Defect.strikes("lost-wakeup", "election")) {
            notifyAll();
        }
    }

    /** The recovery step: come back under this identity, know no coordinator, hold an election. */
    public synchronized void recover(Member identity) {
        self = identity;
        coordinator = null;
        request("recovery of " + identity);
    }

    /** Waits until a coordinator is known, at most so long. */
    public synchronized boolean awaitCoordinator(long millis) throws InterruptedException {
        long end = System.nanoTime() + millis * 1_000_000;
        while (coordinator == null) {
            long left = (end - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                return false;
            }
            wait(left);
        }
        return true;
    }

    @Override
    public void run() {
        try {
            while (true) {
                awaitRequest();
                hold();
            }
        } catch (InterruptedException e) {
            journal.event("election-thread", "stopped");
        }
    }

    private synchronized void awaitRequest() throws InterruptedException {
        while (!requested) {
            wait();
        }
    }

    private void hold() throws InterruptedException {
        journal.event("election", begin().toString());
        journal.count("elections", 1);
        boolean challenged = challenge();
        if (!challenged || !awaitAnswer()) {
            announce();
        } else if (!awaitAnnouncement()) {
            request("answered, but nobody announced");
        }
    }

    private synchronized Member begin() {
        requested = false;
        answered = false;
        announced = false;
        return self;
    }

    /** Asks all who are higher; false if there is none. */
    private boolean challenge() {
        Member me = self();
        boolean any = false;
        for (Member member : network.members()) {
            if (member.outranks(me)) {
                any = true;
                network.send(Kind.ELECTION, member);
            }
        }
        return any;
    }

    private synchronized boolean awaitAnswer() throws InterruptedException {
        long end = System.nanoTime() + ANSWER_MILLIS * 1_000_000;
        for (long left = ANSWER_MILLIS; left > 0 && !answered && !announced;
                left = (end - System.nanoTime()) / 1_000_000) {
            wait(left);
        }
        return answered || announced;
    }

    private synchronized boolean awaitAnnouncement() throws InterruptedException {
        long end = System.nanoTime() + COORDINATOR_MILLIS * 1_000_000;
        for (long left = COORDINATOR_MILLIS; left > 0 && !announced;
                left = (end - System.nanoTime()) / 1_000_000) {
            wait(left);
        }
        return announced;
    }

    private void announce() {
        Member me = self();
        change(me);
        network.elected();
        for (Member member : network.members()) {
            if (!member.name().equals(me.name())) {
                network.send(Kind.COORDINATOR, member);
            }
        }
    }

    /** Takes in an election message of another client. */
    public void receive(Message message) {
        Member from = message.from();
        switch (message.kind()) {
            case ELECTION -> challengedBy(from);
            case ANSWER -> answeredBy(from);
            case COORDINATOR -> announcedBy(from);
            default -> throw new IllegalArgumentException("not an election message: " + message);
        }
    }

    private void challengedBy(Member from) {
        network.send(Kind.ANSWER, from);
        if (coordinates()) {
            network.send(Kind.COORDINATOR, from);
        } else {
            request("challenged by " + from.name());
        }
    }

    private synchronized void answeredBy(Member from) {
        if (from.outranks(self)) {
            answered = true;
            notifyAll();
        }
    }

    private void announcedBy(Member from) {
        if (self().outranks(from)) {
            request("outranks the new coordinator " + from.name());
            return;
        }
        synchronized (this) {
            announced = true;
            notifyAll();
        }
        change(from);
        network.follow(from);
    }

    private synchronized void change(Member to) {
        if (!to.equals(lastKnown)) {
            journal.event("coordinator", to.toString());
            journal.append("coordinators", to.name());
        }
        lastKnown = to;
        coordinator = to;
        journal.put("coordinator", to.name());
        notifyAll();
    }

    private synchronized Member self() {
        return self;
    }
}
