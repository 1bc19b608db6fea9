/* SPDX-License-Identifier: Apache-2.0 */
package bully.client;

import bully.algorithm.Member;
import bully.algorithm.Message.Kind;
import bully.algorithm.Message;
import bully.messaging.DeliveryException;
import bully.messaging.ServerLink;
import bully.messaging.View;
import common.Journal;
import java.io.Serializable;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Writes, numbers and sends a client's messages. */
final class Post {
    private final ServerLink link;
    private final Journal journal;
    private final AtomicLong numbers = new AtomicLong();
    private volatile Member self;
    private volatile List<Member> members = List.of();

    Post(ServerLink link, Member self, Journal journal) {
        this.link = link;
        this.self = self;
        this.journal = journal;
    }

    Member self() {
        return self;
    }

    void rename(Member identity) {
        self = identity;
    }

    /** Asks who is registered; when the message server does not say, what it said last must do. */
    List<Member> members() {
        try {
            see(link.heartbeat(self.name()));
        } catch (DeliveryException e) {
            journal.event("members", "unknown: " + e);
        }
        return members;
    }

    void see(View view) {
        members = view.members();
    }

    void note(String what) {
        journal.event("note", what);
    }

    /** Sends a message that nobody waits for. One that cannot be sent is lost, and the algorithms must bear it. */
    void send(Kind kind, String to, Serializable body) {
        try {
            link.send(write(kind, to, body));
        } catch (DeliveryException e) {
            journal.event("unsent", kind + " to " + to + ": " + e);
        }
    }

    Message request(Kind kind, String to, Serializable body) throws DeliveryException {
        return link.call(write(kind, to, body));
    }

    private Message write(Kind kind, String to, Serializable body) {
        return new Message(numbers.incrementAndGet(), kind, self, to, body);
    }
}
