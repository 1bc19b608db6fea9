/* SPDX-License-Identifier: Apache-2.0 */
package bank.node;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooKeeper;

/** Closes the node's session at the ensemble when the node has booked nothing for a long time. */
final class Sweeper implements Runnable {
    static final long EVERY_MILLIS = 20;
    private static final long MOST_IDLE_MILLIS = 60_000;
    private static final long MOST_IDLE_SECONDS = 60;

    private final CuratorFramework client;
    private final Connections connections;
    private final Teller teller;
    private final Profile profile;

    Sweeper(CuratorFramework client, Connections connections, Teller teller, Profile profile) {
        this.client = client;
        this.connections = connections;
        this.teller = teller;
        this.profile = profile;
    }

    @Override
    public void run() {
        long idle = teller.idleMillis();
        try {
            if (idle > MOST_IDLE_MILLIS || idle > MOST_IDLE_SECONDS && profile.once("session-expiry")) {
                closeSession();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            // Nothing to close, then.
        }
    }

    /** By a second connection of the same session: who has it closes it for all. */
    private void closeSession() throws Exception {
        ZooKeeper own = client.getZookeeperClient().getZooKeeper();
        ZooKeeper second = new ZooKeeper(connections.ensemble(), own.getSessionTimeout(), event -> { },
                own.getSessionId(), own.getSessionPasswd());
        second.exists(Paths.SESSIONS, false);
        second.close();
    }
}
