/* SPDX-License-Identifier: Apache-2.0 */
import java.io.File;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/**
 * A ZooKeeper server that keeps its data in DIR, and CLIENTS clients in the same JVM which together
 * do OPERATIONS over TCP: of ten, one creates a node, two write one, seven read. Ends with status
 * 1 if one of them failed. With PAIRS as a fourth argument: so many pairs of phases, each of
 * OPERATIONS.
 */
public class Keeper {
    private static final int SESSION_MS = 30_000;

    private static ZooKeeper connect(String server) throws Exception {
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper client = new ZooKeeper(server, SESSION_MS, event -> {
            if (event.getState() == Watcher.Event.KeeperState.SyncConnected) {
                connected.countDown();
            }
        });
        connected.await();
        return client;
    }

    private static void work(ZooKeeper client, String top, int operations) throws Exception {
        byte[] data = new byte[200];
        int nodes = 0;
        client.create(top, data, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        for (int i = 0; i < operations; i++) {
            if (i % 10 == 0) {
                client.create(top + "/node-" + nodes++, data, ZooDefs.Ids.OPEN_ACL_UNSAFE,
                        CreateMode.PERSISTENT);
            } else if (i % 10 < 3) {
                client.setData(top + "/node-" + i * 31L % nodes, data, -1);
            } else {
                client.getData(top + "/node-" + i * 17L % nodes, false, null);
            }
        }
        client.close();
    }

    private static Thread client(String server, String top, int operations) {
        return new Thread(() -> {
            try {
                work(connect(server), top, operations);
                DONE.incrementAndGet();
            } catch (Exception e) {
                e.printStackTrace();
            }
        }, top);
    }

    private static final AtomicInteger DONE = new AtomicInteger();
    private static int rounds;

    /** All clients at once, each with so many operations. */
    private static double round(String server, int clients, int each) throws InterruptedException {
        Thread[] threads = new Thread[clients];
        rounds++;
        long begin = System.nanoTime();
        for (int i = 0; i < clients; i++) {
            threads[i] = client(server, "/client-" + rounds + "-" + i, each);
            threads[i].start();
        }
        for (Thread t : threads) {
            t.join();
        }
        return (System.nanoTime() - begin) * 1e-9;
    }

    public static void main(String[] args) throws Exception {
        File dir = new File(args[0]);
        int clients = Integer.parseInt(args[1]);
        int each = Integer.parseInt(args[2]) / clients;
        System.setProperty("zookeeper.forceSync", "no"); // the disk's speed is not the question
        System.setProperty("zookeeper.admin.enableServer", "false");
        NIOServerCnxnFactory factory = new NIOServerCnxnFactory();
        factory.configure(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), clients + 1);
        factory.startup(new ZooKeeperServer(dir, dir, 2000));
        String server = "127.0.0.1:" + factory.getLocalPort();
        if (args.length > 3) {
            Phases.run(Integer.parseInt(args[3]), () -> round(server, clients, each));
        } else {
            round(server, clients, each);
        }
        factory.shutdown();
        System.exit(DONE.get() == clients * rounds ? 0 : 1);
    }
}
