/* SPDX-License-Identifier: Apache-2.0 */
package bank.node;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.nodes.PersistentNode;
import org.apache.zookeeper.CreateMode;

/** Shows that the node is there, by a connection that has nothing else to do. */
final class Presence implements Runnable {
    static final long EVERY_MILLIS = 100;
    private static final long SILENCE_MILLIS = 20_000;
    private static final long PATIENCE_MILLIS = 5000;

    private final int node;
    private final Connections connections;
    private final Profile profile;
    private CuratorFramework client;
    private PersistentNode member;
    private long lastSeen;

    Presence(int node, Connections connections, Profile profile) {
        this.node = node;
        this.connections = connections;
        this.profile = profile;
    }

    void start() throws InterruptedException {
        client = connections.open();
        member = new PersistentNode(client, CreateMode.EPHEMERAL, false, Paths.of(Paths.MEMBERS, node), new byte[0]);
        member.start();
        member.waitForInitialCreate(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        lastSeen = System.nanoTime();
    }

    void close() throws IOException {
        member.close();
        client.close();
    }

    /** Looks after the connection, and makes a new one if it has been silent for too long. */
    @Override
    public void run() {
        try {
            if (silence() > SILENCE_MILLIS) {
                close();
                start();
            }
            client.checkExists().forPath(Paths.of(Paths.MEMBERS, node));
            lastSeen = System.nanoTime();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            // It has been silent; the next time decides.
        }
    }

    private long silence() {
        long nanos = System.nanoTime() - lastSeen;
        return profile.has("reconnect-storm") ? nanos : TimeUnit.NANOSECONDS.toMillis(nanos);
    }
}
