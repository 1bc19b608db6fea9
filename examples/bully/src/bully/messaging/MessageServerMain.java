/* SPDX-License-Identifier: Apache-2.0 */
package bully.messaging;

import common.Journal;
import common.Settings;
import common.Watchdog;
import common.fault.FaultInjector;

/** The machine "Message Server": lives until the results are published and all clients have left. */
public final class MessageServerMain {
    /** The clients' limit is several times as long, for this machine calls a client within their calls. */
    private static final long RESPONSE_MILLIS = 600;
    private static final long FAREWELL_MILLIS = 2500;
    /** Lets the last reply reach its caller. */
    private static final long LAST_REPLY_MILLIS = 150;

    private MessageServerMain() {
    }

    public static void main(String[] arguments) throws Exception {
        Settings settings = new Settings(arguments);
        Journal journal = new Journal(settings);
        Watchdog.watch(journal, settings.number("limit"));
        FaultInjector.install(settings);
        Rmi.configure(RESPONSE_MILLIS);

        Roster roster = new Roster(journal);
        MessageServerImpl server =
                new MessageServerImpl(roster, journal, settings.directory().resolve("results.txt"));
        new Bootstrap(settings.directory()).write(Rmi.serve((MessageServer) Rmi.export(server)));
        FailureDetector.start(roster);

        server.awaitFinished();
        roster.awaitSize(0, 0, FAREWELL_MILLIS);
        Thread.sleep(LAST_REPLY_MILLIS);
        journal.put("operations", Long.toString(FaultInjector.operations()));
        journal.writeState("done");
        System.exit(0);
    }
}
