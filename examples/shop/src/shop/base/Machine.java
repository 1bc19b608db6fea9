/* SPDX-License-Identifier: Apache-2.0 */
package shop.base;

import common.Journal;
import common.Settings;
import common.Watchdog;
import java.nio.file.Files;
import java.nio.file.Path;

/** What each machine begins with: arguments, journal, time limit; and who is ready. */
public record Machine(Settings settings, Journal journal) {
    private static final long LOOK_AGAIN_MILLIS = 20;

    public static Machine begin(String[] arguments) {
        Settings settings = new Settings(arguments);
        Journal journal = new Journal(settings);
        Watchdog.watch(journal, settings.number("limit"));
        Switches.install(settings);
        return new Machine(settings, journal);
    }

    /** The address that all machines of this run listen on, each at a port of its own. */
    public String address() {
        return settings.text("address");
    }

    public ConnectionPool connections(int size) {
        return new ConnectionPool("jdbc:derby://" + address() + ":" + settings.text("database-port") + "/memory:shop",
                size);
    }

    public void ready() {
        Journal.writeWhole(readyFile(settings.slug()), "");
    }

    public void awaitReady(String... machines) throws InterruptedException {
        for (String machine : machines) {
            while (!Files.exists(readyFile(machine))) {
                Thread.sleep(LOOK_AGAIN_MILLIS);
            }
        }
    }

    private Path readyFile(String machine) {
        return settings.directory().resolve("ready-" + machine);
    }
}
