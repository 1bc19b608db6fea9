/* SPDX-License-Identifier: Apache-2.0 */
package bully.client;

import bully.messaging.DeliveryException;
import bully.messaging.ServerLink;
import bully.messaging.View;
import common.Journal;
import java.util.function.Consumer;

/** Tells the message server regularly that this client lives, and hands on what the server says. */
final class Heartbeat implements Runnable {
    private static final long PERIOD_MILLIS = 250;

    private final ServerLink link;
    private final Post post;
    private final Consumer<View> listener;
    private final Journal journal;

    Heartbeat(ServerLink link, Post post, Consumer<View> listener, Journal journal) {
        this.link = link;
        this.post = post;
        this.listener = listener;
        this.journal = journal;
    }

    @Override
    public void run() {
        try {
            while (true) {
                Thread.sleep(PERIOD_MILLIS);
                beat();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void beat() {
        try {
            listener.accept(link.heartbeat(post.self().name()));
        } catch (DeliveryException e) {
            journal.event("heartbeat", e.toString());
        }
    }
}
