/* SPDX-License-Identifier: Apache-2.0 */
package keeper.client;

import common.Journal;
import common.Settings;
import common.Watchdog;
import common.fault.FaultInjector;

/** The machine "Client A", "Client B" or "Client C". */
public final class ClientMain {
    private ClientMain() {
    }

    public static void main(String[] arguments) throws InterruptedException {
        Settings settings = new Settings(arguments);
        Journal journal = new Journal(settings);
        Watchdog.watch(journal, settings.number("limit"));
        FaultInjector.install(settings);
        new Client(settings, journal).run();
        journal.writeState("done");
        System.exit(0);
    }
}
