/* SPDX-License-Identifier: Apache-2.0 */
package shop.load;

import common.Journal;
import java.io.IOException;
import shop.base.Http;

/** Where a customer asks for things. Writes down each reply, and when the request came and went. */
final class Counter {
    /** A request to one page. */
    interface Request {
        Http.Reply send(Http front) throws IOException;
    }

    private static final int SOLD_OUT = 409;
    private static final long MILLION = 1_000_000;

    private final Http front;
    private final Journal journal;
    private long wastedMillis;

    Counter(Http front, Journal journal) {
        this.front = front;
        this.journal = journal;
    }

    /**
     * Sends a request and records WHAT: what it was about, begin and end (ns), status, text. If
     * it fails, it is recorded as "bad" as well.
     */
    Http.Reply ask(String what, String about, Request request) {
        long begin = System.nanoTime();
        Http.Reply reply;
        try {
            reply = request.send(front);
        } catch (IOException e) {
            reply = new Http.Reply(0, e.toString());
        }
        long end = System.nanoTime();
        boolean good = reply.good() || reply.status() == SOLD_OUT;
        String text = good ? reply.text() : "-";
        journal.event(what, about + " " + begin + " " + end + " " + reply.status() + " " + text);
        if (!good) {
            wastedMillis += (end - begin) / MILLION;
            journal.event("bad", what + " " + reply.status() + " " + reply.text().lines().findFirst().orElse(""));
        }
        return reply;
    }

    /** How long this customer has waited for requests that failed. */
    long wastedMillis() {
        return wastedMillis;
    }
}
