/* SPDX-License-Identifier: Apache-2.0 */
package bully.client;

import bully.algorithm.Message;
import bully.messaging.Mailbox;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * A client's mailbox. Messages are put aside by RMI's threads and handled, each once and in order, by the thread
 * "Inbox"; requests are answered at once.
 */
final class Inbox implements Mailbox, Runnable {
    private final Consumer<Message> messages;
    private final UnaryOperator<Message> requests;
    private final BlockingQueue<Message> queue = new LinkedBlockingQueue<>();
    private final Set<String> seen = new HashSet<>();

    Inbox(Consumer<Message> messages, UnaryOperator<Message> requests) {
        this.messages = messages;
        this.requests = requests;
    }

    @Override
    public void deliver(Message message) {
        if (isNew(message)) {
            queue.add(message);
        }
    }

    @Override
    public Message ask(Message request) {
        return requests.apply(request);
    }

    private boolean isNew(Message message) {
        synchronized (seen) {
            return seen.add(message.from().name() + "/" + message.number());
        }
    }

    @Override
    public void run() {
        try {
            while (true) {
                messages.accept(queue.take());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
