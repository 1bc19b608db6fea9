/* SPDX-License-Identifier: Apache-2.0 */
package shop.load;

import common.Journal;
import common.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import shop.base.Http;
import shop.base.Machine;

/** The machine "Load": customers who use the shop, and at the end a look at its books. */
public final class LoadMain {
    private LoadMain() {
    }

    public static void main(String[] arguments) throws Exception {
        Machine machine = Machine.begin(arguments);
        Settings settings = machine.settings();
        machine.awaitReady("database", "stock", "orders", "front");
        Patience patience = Patience.now(settings.integer("patience"));
        machine.journal().put("patience", Integer.toString(patience.millis()));
        Http front = new Http(machine.address(), settings.text("front-port"), patience.millis());
        Journal.writeWhole(settings.directory().resolve("working"), "");
        int shoppers = settings.integer("shoppers");
        ExecutorService pool = Executors.newFixedThreadPool(shoppers);
        List<Future<?>> under = new ArrayList<>();
        for (int number = 1; number <= shoppers; number++) {
            under.add(pool.submit(new Shopper(number, new Counter(front, machine.journal()), patience, settings)));
        }
        for (Future<?> one : under) {
            one.get();
        }
        new Books(machine.connections(1), settings.directory()).copy();
        machine.journal().writeState("done");
        System.exit(0);
    }
}
