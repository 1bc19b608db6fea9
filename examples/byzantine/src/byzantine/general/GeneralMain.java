/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.general;

import byzantine.army.Rmi;
import common.Journal;
import common.Settings;
import common.Watchdog;
import common.fault.FaultInjector;

/** The machine of one general: "Commander", "Lieutenant A", "Lieutenant B", "Lieutenant C". */
public final class GeneralMain {
    /** Lets the last replies reach their callers. */
    private static final long LAST_REPLY_MILLIS = 150;

    private GeneralMain() {
    }

    public static void main(String[] arguments) throws Exception {
        Settings settings = new Settings(arguments);
        Journal journal = new Journal(settings);
        Watchdog.watch(journal, settings.number("limit"));
        FaultInjector.install(settings);
        Rmi.configure();
        new Campaign(settings, journal).run();
        Thread.sleep(LAST_REPLY_MILLIS);
        journal.put("operations", Long.toString(FaultInjector.operations()));
        journal.writeState("done");
        System.exit(0);
    }
}
