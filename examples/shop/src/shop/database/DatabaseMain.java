/* SPDX-License-Identifier: Apache-2.0 */
package shop.database;

import java.net.InetAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import org.apache.derby.drda.NetworkServerControl;
import shop.base.Machine;

/** The machine "Database": Derby's network server, with a database in memory. */
public final class DatabaseMain {
    private static final long PING_AGAIN_MILLIS = 20;

    private DatabaseMain() {
    }

    public static void main(String[] arguments) throws Exception {
        Machine machine = Machine.begin(arguments);
        configure(machine);
        try (Connection connection = DriverManager.getConnection("jdbc:derby:memory:shop;create=true")) {
            new Schema(connection).create(machine.settings().number("seed"));
        }
        NetworkServerControl server = new NetworkServerControl(InetAddress.getByName(machine.address()),
                machine.settings().integer("port"));
        server.start(null);
        awaitServer(server);
        machine.ready();
        // Derby's threads do not keep the machine alive.
        Thread.currentThread().join();
    }

    /** Statistics of indexes are left out: making them can block statements. */
    private static void configure(Machine machine) {
        System.setProperty("derby.system.home", machine.settings().directory().toString());
        System.setProperty("derby.storage.indexStats.auto", "false");
    }

    private static void awaitServer(NetworkServerControl server) throws InterruptedException {
        while (true) {
            try {
                server.ping();
                return;
            } catch (Exception e) {
                Thread.sleep(PING_AGAIN_MILLIS);
            }
        }
    }
}
