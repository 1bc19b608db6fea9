/* SPDX-License-Identifier: Apache-2.0 */
package bank.check;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import bank.node.Connections;
import bank.node.Node;
import bank.node.Paths;
import bank.node.Profile;
import bank.plan.Plan;
import bank.plan.Transfer;
import org.apache.curator.framework.CuratorFramework;

/** Runs an ensemble and four nodes until the plan is done or time is up; keeps what is judged. */
final class Workload {
    private static final long POLL_MILLIS = 50;
    private static final long STILL_MILLIS = 3000;
    private static final int LONGER_STILL = 3;
    private static final int LONGER_ALL = 4;
    private static final int MEGABYTE = 1 << 20;

    final Plan plan = new Plan(Long.getLong("bank.seed", 1), Integer.getInteger("bank.batches", 4));
    Outcome outcome;
    List<Long> sessionsBefore;
    List<Long> sessionsAfter;
    long requests;
    long workMillis;
    long heapMegabytes;
    List<String> threadsLeft;

    private final Path directory = Path.of(System.getProperty("bank.dir"));
    private final List<Node> nodes = new ArrayList<>();

    void run() throws Exception {
        try (Ensemble ensemble = new Ensemble(); CuratorFramework client = ensemble.connections().open()) {
            prepare(client);
            startNodes(ensemble.connections());
            sessionsBefore = Outcome.sessions(client);
            long requestsBefore = ensemble.requests();
            work();
            await(client);
            requests = ensemble.requests() - requestsBefore;
            outcome = Outcome.read(client);
            sessionsAfter = Outcome.sessions(client);
            heapMegabytes = heap();
            for (Node node : nodes) {
                node.close();
            }
            threadsLeft = threadsOfNodes();
        }
        Files.writeString(directory.resolve("state-cluster.txt"),
                "requests=" + requests + "\nmegabytes=" + heapMegabytes + "\nwork=" + workMillis + "\n");
    }

    private void prepare(CuratorFramework client) throws Exception {
        for (String path : List.of(Paths.PLAN, Paths.TARIFF, Paths.DISPATCHED, Paths.BATCHES, Paths.ACCOUNTS,
                Paths.ENTRIES, Paths.INBOX, Paths.MEMBERS, Paths.SESSIONS, Paths.LOCKS, Paths.AUDITED)) {
            client.create().forPath(path);
        }
        for (int batch = 0; batch < plan.size(); batch++) {
            String lines = plan.batch(batch).stream().map(Transfer::text).collect(Collectors.joining("\n"));
            put(client, Paths.of(Paths.PLAN, batch), lines);
            put(client, Paths.of(Paths.TARIFF, batch), Integer.toString(plan.permille(batch)));
        }
        for (int account = 0; account < Plan.ACCOUNTS; account++) {
            put(client, Paths.of(Paths.ACCOUNTS, account), Long.toString(Plan.OPENING));
            client.create().forPath(Paths.of(Paths.ENTRIES, account));
        }
        for (int node = 1; node <= Plan.NODES; node++) {
            client.create().forPath(Paths.of(Paths.INBOX, node));
        }
    }

    private static void put(CuratorFramework client, String path, String text) throws Exception {
        client.create().forPath(path, Paths.bytes(text));
    }

    /** All at once, each in a thread that its connection's threads are named after. */
    private void startNodes(Connections connections) throws InterruptedException, ExecutionException {
        List<FutureTask<Void>> starts = new ArrayList<>();
        for (int number = 1; number <= Plan.NODES; number++) {
            Node node = new Node(number, connections);
            nodes.add(node);
            FutureTask<Void> start = new FutureTask<>(() -> {
                node.start(plan.size());
                return null;
            });
            starts.add(start);
            new Thread(start, "node-" + number).start();
        }
        for (FutureTask<Void> start : starts) {
            start.get();
        }
    }

    private void work() throws Exception {
        for (Node node : nodes) {
            node.work(nodes, directory);
        }
        Profile.beginWork();
        Files.createFile(directory.resolve("working"));
    }

    /** Until all is done, or it has taken too long, or nothing has been done for long. */
    private void await(CuratorFramework client) throws Exception {
        long begin = System.nanoTime();
        Patience all = new Patience(Long.getLong("bank.limit", 12_000), LONGER_ALL);
        Patience still = new Patience(STILL_MILLIS, LONGER_STILL);
        int before = 0;
        for (int now = 0; now < goal() && all.left() && still.left(); now = done(client)) {
            if (now > before) {
                still = new Patience(STILL_MILLIS, LONGER_STILL);
                before = now;
            }
            Thread.sleep(POLL_MILLIS);
        }
        workMillis = (System.nanoTime() - begin) / 1_000_000;
    }

    private int goal() {
        return plan.size() + plan.transfers().size();
    }

    /** Batches and audited transfers. */
    private static int done(CuratorFramework client) throws Exception {
        return client.checkExists().forPath(Paths.BATCHES).getNumChildren()
                + client.checkExists().forPath(Paths.AUDITED).getNumChildren();
    }

    /** What is reachable, in megabytes, while the nodes are still there. */
    private static long heap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / MEGABYTE;
    }

    private static List<String> threadsOfNodes() {
        return Thread.getAllStackTraces().keySet().stream().map(Thread::getName)
                .filter(name -> name.startsWith("Node-")).sorted().toList();
    }
}
