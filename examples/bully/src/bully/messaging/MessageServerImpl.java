/* SPDX-License-Identifier: Apache-2.0 */
package bully.messaging;

import bully.algorithm.Member;
import bully.algorithm.Message;
import bully.coordinator.SearchState;
import common.Journal;
import common.fault.Defect;
import java.nio.file.Path;

/** The message server's remote side: what arrives here runs on RMI's threads. */
final class MessageServerImpl implements MessageServer {
    /** Well below the callers' own limit for a response. */
    private static final long MEMBERS_MILLIS = 800;

    private final Roster roster;
    private final Journal journal;
    private final Path resultFile;
    private boolean finished;

    MessageServerImpl(Roster roster, Journal journal, Path resultFile) {
        this.roster = roster;
        this.journal = journal;
        this.resultFile = resultFile;
    }

    @Override
    public void register(Member member, Mailbox mailbox) {
        roster.add(member, mailbox);
    }

    @Override
    public void unregister(String name) {
        roster.remove(name);
    }

    @Override
    public View heartbeat(String name) {
        return view(name);
    }

    @Override
    public View awaitMembers(String name, int count) {
        try {
            roster.awaitSize(count, Integer.MAX_VALUE, MEMBERS_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return view(name);
    }

    private View view(String name) {
        return new View(roster.heard(name), finished(), roster.members());
    }

    /** A message to someone who is not registered is dropped: that client starts afresh when it comes back. */
    @Override
    public void send(Message message) {
        Delivery delivery = roster.delivery(message.to());
        if (delivery == null) {
            journal.event("dropped", message.toString());
        } else {
            delivery.enqueue(message);
        }
    }

    @Override
    public Message call(Message request) throws DeliveryException {
        Delivery delivery = roster.delivery(request.to());
        if (delivery == null) {
            throw new DeliveryException(request.to() + " is not registered", null);
        }
        try {
            // As long as what it depends on takes.
            Thread.sleep(Defect.millis("slow", "call"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return delivery.forward(request);
    }

    @Override
    public void publish(String name, SearchState state) {
        journal.event("published", name);
        journal.append("publishers", name);
        Journal.writeWhole(resultFile, state.listing());
        synchronized (this) {
            finished = true;
            if (!Defect.strikes("lost-wakeup", "publication")) {
                notifyAll();
            }
        }
    }

    private synchronized boolean finished() {
        return finished;
    }

    synchronized void awaitFinished() throws InterruptedException {
        while (!finished) {
            wait();
        }
    }
}
