/* SPDX-License-Identifier: Apache-2.0 */
package shop.stock;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import shop.base.ConnectionPool;
import shop.base.Http;
import shop.base.Machine;
import shop.base.Switches;

/** The machine "Stock": knows how much there is of each item, and refills the shelves. */
public final class StockMain {
    private static final int THREADS = 16;
    private static final int CONNECTIONS = 8;
    private static final long REFILL_MILLIS = 40;
    private static final long RECOUNT_MILLIS = 150;

    private StockMain() {
    }

    public static void main(String[] arguments) throws Exception {
        Machine machine = Machine.begin(arguments);
        ExecutorService conversations = Executors.newFixedThreadPool(Switches.on("single-thread") ? 1 : THREADS);
        ScheduledExecutorService refills = Executors.newSingleThreadScheduledExecutor();
        ScheduledExecutorService recounts = Executors.newSingleThreadScheduledExecutor();
        machine.awaitReady("database");
        ConnectionPool connections = machine.connections(CONNECTIONS);
        Shelves shelves = new Shelves(connections);
        StockServer server = new StockServer(machine, shelves, conversations);
        machine.ready();
        machine.awaitReady("orders");
        Http orders = new Http(machine.address(), machine.settings().text("orders-port"), 0);
        long seed = machine.settings().number("seed");
        refills.scheduleWithFixedDelay(new Refill(orders, shelves, seed), REFILL_MILLIS, REFILL_MILLIS,
                TimeUnit.MILLISECONDS);
        recounts.scheduleWithFixedDelay(new Recount(connections), RECOUNT_MILLIS, RECOUNT_MILLIS,
                TimeUnit.MILLISECONDS);
        server.serve();
    }
}
