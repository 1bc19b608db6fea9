/* SPDX-License-Identifier: Apache-2.0 */
package shop.orders;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/** How much of each item has been ordered since the last outlook. */
final class Ledger {
    /** The page of one item; who books has it to himself. */
    static final class Entry extends ReentrantLock {
        private static final long serialVersionUID = 1;

        private int ordered;

        void add(int quantity) {
            ordered += quantity;
        }
    }

    private final Map<Integer, Entry> entries = new ConcurrentHashMap<>();

    Entry entry(int item) {
        return entries.computeIfAbsent(item, any -> new Entry());
    }

    /** How many units will be needed: as many as were ordered of late. */
    String outlook(int item) {
        Entry entry = entry(item);
        entry.lock();
        try {
            int needed = entry.ordered;
            entry.ordered = 0;
            return Integer.toString(needed);
        } finally {
            entry.unlock();
        }
    }
}
