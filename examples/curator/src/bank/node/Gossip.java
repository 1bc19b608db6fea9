/* SPDX-License-Identifier: Apache-2.0 */
package bank.node;

import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Tells another node, each time a different one, what this node has booked. */
final class Gossip implements Runnable {
    static final long EVERY_MILLIS = 15;

    private final Book book;
    private final List<Book> others;
    private final Profile profile;

    Gossip(Book book, List<Book> others, Profile profile) {
        this.book = book;
        this.others = others;
        this.profile = profile;
    }

    @Override
    public void run() {
        Book other = others.get(ThreadLocalRandom.current().nextInt(others.size()));
        try {
            if (profile.has("deadlock")) {
                book.tellExactly(other);
            } else {
                book.tell(other);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
