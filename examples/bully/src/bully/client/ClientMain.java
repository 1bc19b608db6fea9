/* SPDX-License-Identifier: Apache-2.0 */
package bully.client;

import bully.messaging.Rmi;
import common.Journal;
import common.Settings;
import common.Watchdog;
import common.fault.FaultInjector;

/** The machine "Client A", "Client B" or "Client C". */
public final class ClientMain {
    /** Longer than the message server's own attempts to pass a request on. */
    private static final long RESPONSE_MILLIS = 2000;

    private ClientMain() {
    }

    public static void main(String[] arguments) throws Exception {
        Settings settings = new Settings(arguments);
        Journal journal = new Journal(settings);
        Watchdog.watch(journal, settings.number("limit"));
        FaultInjector.install(settings);
        Rmi.configure(RESPONSE_MILLIS);
        new Client(settings, journal).run(settings.integer("clients"));
        journal.put("operations", Long.toString(FaultInjector.operations()));
        journal.writeState("done");
        System.exit(0);
    }
}
