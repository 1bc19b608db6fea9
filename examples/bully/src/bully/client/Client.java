/* SPDX-License-Identifier: Apache-2.0 */
package bully.client;

import bully.algorithm.Election;
import bully.algorithm.Member;
import bully.algorithm.Message;
import bully.coordinator.Coordinator;
import bully.coordinator.Replicator;
import bully.coordinator.SearchState;
import bully.messaging.DeliveryException;
import bully.messaging.Mailbox;
import bully.messaging.Rmi;
import bully.messaging.ServerLink;
import bully.messaging.View;
import common.Journal;
import common.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A client: puts its parts together, joins, and hands what arrives to the part that it is for. */
final class Client implements Career.Membership {
    private static final int AMBITIOUS_PRIORITY = 200;
    /** How often to ask for the others, most of a second each, before starting without them. */
    private static final int RENDEZVOUS_ATTEMPTS = 25;

    private final Journal journal;
    private final ServerLink link;
    private final Post post;
    private final SearchState state;
    private final Coordinator coordinator;
    private final Replicator replicator;
    private final Election election;
    private final Inbox inbox;
    private final Mailbox mailbox;
    private final Career career;
    private final CountDownLatch finished = new CountDownLatch(1);
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean member;

    Client(Settings settings, Journal journal) throws Exception {
        Member self = new Member(settings.role(), settings.integer("priority"));
        this.journal = journal;
        link = new ServerLink(settings.directory(), journal);
        post = new Post(link, self, journal);
        state = new SearchState(settings.integer("numbers"));
        replicator = new Replicator(state, new PeerLink(post, link, finished::countDown), journal);
        coordinator = new Coordinator(state, replicator, post::self, journal);
        replicator.listen(coordinator::replicated);
        election = new Election(self, new ElectionLink(post, coordinator), journal);
        inbox = new Inbox(this::receive, coordinator::answer);
        mailbox = (Mailbox) Rmi.export(inbox);
        career = new Career(this, new Member(settings.role(), AMBITIOUS_PRIORITY), journal);
    }

    /** Runs from the first registration to the end of the search. */
    void run(int clients) throws InterruptedException {
        start("Inbox", inbox);
        start("Election", election);
        start("Replicator", replicator);
        enter(post.self());
        rendezvous(clients);
        start("Heartbeat", new Heartbeat(link, post, this::see, journal));
        election.recover(post.self());
        start("Worker", new Worker(post, election, career, journal));
        finished.await();
        stop();
    }

    private void start(String name, Runnable part) {
        Thread thread = new Thread(part, name);
        threads.add(thread);
        thread.start();
    }

    /** All machines start together, so that the first election is between all and decides for good. */
    private void rendezvous(int clients) {
        for (int attempt = 0; attempt < RENDEZVOUS_ATTEMPTS; attempt++) {
            try {
                View view = link.awaitMembers(post.self().name(), clients);
                post.see(view);
                if (view.members().size() >= clients) {
                    return;
                }
            } catch (DeliveryException e) {
                journal.event("rendezvous", e.toString());
            }
        }
    }

    private void enter(Member identity) {
        try {
            post.rename(identity);
            link.register(identity, mailbox);
            member = true;
            journal.event("joined", identity.toString());
            journal.count("joins", 1);
        } catch (DeliveryException e) {
            journal.event("not-joined", e.toString());
        }
    }

    @Override
    public void join(Member identity) {
        enter(identity);
        election.recover(identity);
    }

    @Override
    public void leave() {
        member = false;
        coordinator.leaveOffice();
        try {
            link.unregister(post.self().name());
        } catch (DeliveryException e) {
            journal.event("not-left", e.toString());
        }
    }

    /** Acts on what the message server said to a heartbeat. */
    private void see(View view) {
        post.see(view);
        if (view.finished()) {
            finished.countDown();
        } else if (member && !view.known()) {
            join(post.self());
        } else if (election.coordinator() != null && !view.has(election.coordinator())) {
            election.request(election.coordinator().name() + " is gone");
        }
    }

    private void receive(Message message) {
        switch (message.kind()) {
            case ELECTION, ANSWER, COORDINATOR -> election.receive(message);
            case STATE -> state.merge((SearchState) message.body());
            case FINISHED -> finished.countDown();
            default -> journal.event("unexpected", message.toString());
        }
    }

    private void stop() {
        for (Thread thread : threads) {
            thread.interrupt();
        }
        leave();
        journal.put("left", Integer.toString(state.left()));
    }
}
