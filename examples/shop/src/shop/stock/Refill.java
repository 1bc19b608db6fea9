/* SPDX-License-Identifier: Apache-2.0 */
package shop.stock;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.util.Random;
import java.util.concurrent.locks.Lock;
import shop.base.Http;
import shop.base.Switches;

/** Puts on a shelf as many units as the order service says will be needed. */
final class Refill implements Runnable {
    private static final int REFILLED_ITEMS = 11;
    private static final int POPULAR_ITEMS = 2;

    private final Http orders;
    private final Shelves shelves;
    private final Random random;

    Refill(Http orders, Shelves shelves, long seed) {
        this.orders = orders;
        this.shelves = shelves;
        random = new Random(seed);
    }

    /** Three times of four it is one of the popular items. */
    @Override
    public void run() {
        int item = 1 + random.nextInt(random.nextInt(4) > 0 ? POPULAR_ITEMS : REFILLED_ITEMS);
        Lock shelf = shelves.lock(item);
        boolean early = Switches.on("lock-order");
        try {
            if (early) {
                shelf.lock();
            }
            int needed = outlook(item);
            if (!early) {
                shelf.lock();
            }
            try {
                shelves.put(item, needed);
            } finally {
                shelf.unlock();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private int outlook(int item) throws IOException {
        return Integer.parseInt(orders.get("outlook", "item", item).text());
    }
}
