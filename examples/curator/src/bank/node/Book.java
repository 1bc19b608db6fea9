/* SPDX-License-Identifier: Apache-2.0 */
package bank.node;

import java.util.Map;
import java.util.TreeMap;

/** What a node knows has left each account: what it booked itself, and what others told it. */
final class Book {
    private static final long TRANSPORT_MILLIS = 2;

    private final Map<Integer, Long> turnover = new TreeMap<>();

    synchronized void add(int account, long amount) {
        turnover.merge(account, amount, Long::sum);
    }

    synchronized Map<Integer, Long> digest() {
        return new TreeMap<>(turnover);
    }

    synchronized void merge(Map<Integer, Long> other) {
        other.forEach((account, amount) -> turnover.merge(account, amount, Math::max));
    }

    /** Tells another node's book what this one has. */
    void tell(Book other) throws InterruptedException {
        Map<Integer, Long> digest = digest();
        Thread.sleep(TRANSPORT_MILLIS);
        other.merge(digest);
    }

    /** The same, with a digest that is still true when it arrives. */
    synchronized void tellExactly(Book other) throws InterruptedException {
        tell(other);
    }
}
