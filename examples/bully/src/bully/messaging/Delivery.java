/* SPDX-License-Identifier: Apache-2.0 */
package bully.messaging;

import bully.algorithm.Member;
import bully.algorithm.Message;
import common.Journal;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Brings messages to one client, in order, and again until they arrive. One client that cannot be reached does not
 * hold up the others, because each has a thread of its own here.
 */
final class Delivery implements Runnable {
    /** After these the client is given up: the pauses between them add up to more than two seconds. */
    private static final int ATTEMPTS = 6;
    /** A caller waits for the reply; it would rather hear of a failure. */
    private static final int REQUEST_ATTEMPTS = 2;

    private final Member member;
    private final Mailbox mailbox;
    private final Roster roster;
    private final Retry retry;
    private final BlockingQueue<Message> queue = new LinkedBlockingQueue<>();
    private final Thread thread;

    Delivery(Member member, Mailbox mailbox, Roster roster, Journal journal) {
        this.member = member;
        this.mailbox = mailbox;
        this.roster = roster;
        this.retry = new Retry(journal, () -> { });
        this.thread = new Thread(this, "Delivery-" + member.name());
    }

    void start() {
        thread.start();
    }

    void stop() {
        thread.interrupt();
    }

    void enqueue(Message message) {
        queue.add(message);
    }

    /** Passes a request on in the caller's thread. */
    Message forward(Message request) throws DeliveryException {
        return retry.attempt("request " + request, REQUEST_ATTEMPTS, () -> mailbox.ask(request));
    }

    @Override
    public void run() {
        try {
            while (true) {
                deliver(queue.take());
            }
        } catch (InterruptedException e) {
            queue.clear();
        } catch (DeliveryException e) {
            if (!Thread.currentThread().isInterrupted()) {
                roster.lose(member.name(), e.toString());
            }
        }
    }

    private void deliver(Message message) throws DeliveryException {
        retry.attempt("delivery of " + message, ATTEMPTS, () -> {
            mailbox.deliver(message);
            return null;
        });
    }
}
