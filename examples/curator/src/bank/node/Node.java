/* SPDX-License-Identifier: Apache-2.0 */
package bank.node;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;

/** A member of the cluster: books what comes into its inbox, and leads when it is its turn. */
public final class Node {
    private static final int WORKERS = 2;
    private static final long CLOSE_MILLIS = 100;

    private final int number;
    private final Profile profile;
    private final NodeThreads threads;
    private final Connections connections;
    private final Book book = new Book();
    private final List<ExecutorService> executors = new ArrayList<>();
    private CuratorFramework client;
    private Dispatcher dispatcher;
    private Inbox inbox;
    private Auditor auditor;
    private Presence presence;
    private Reminders reminders;
    private Teller teller;
    private Gate gate;

    public Node(int number, Connections connections) {
        this.number = number;
        this.connections = connections;
        profile = new Profile(number);
        threads = new NodeThreads(number);
    }

    /** Connects; nothing is done yet. */
    public void start(int batches) throws Exception {
        client = connections.open();
        client.create().withMode(CreateMode.EPHEMERAL).forPath(Paths.of(Paths.SESSIONS, number));
        gate = new Gate();
        reminders = new Reminders(threads, profile);
        teller = new Teller(number, client, new Locks(client, profile), gate, new Tariff(client, profile), book,
                new Statements(profile), reminders, profile);
        auditor = new Auditor(client, threads, profile);
        inbox = new Inbox(number, client, teller, auditor, workers(), profile);
        dispatcher = new Dispatcher(number, batches, client, threads, profile);
        presence = new Presence(number, connections, profile);
        presence.start();
        auditor.start();
    }

    private List<ExecutorService> workers() {
        var factory = threads.factory("worker");
        List<ExecutorService> workers = new ArrayList<>();
        for (int worker = 0; worker < WORKERS; worker++) {
            workers.add(Executors.newSingleThreadExecutor(factory));
        }
        executors.addAll(workers);
        return workers;
    }

    /** Begins to work, together with the others. */
    public void work(List<Node> all, Path directory) {
        List<Book> others = all.stream().filter(node -> node != this).map(node -> node.book).toList();
        Path file = directory.resolve("checkpoint-" + number + ".txt");
        ExecutorService reader = Executors.newSingleThreadExecutor(threads.factory("inbox"));
        executors.add(reader);
        reader.execute(inbox);
        repeat("gossip", new Gossip(book, others, profile), Gossip.EVERY_MILLIS);
        repeat("checkpoint", new Checkpoint(gate, book, file, profile), Checkpoint.EVERY_MILLIS);
        repeat("presence", presence, Presence.EVERY_MILLIS);
        repeat("sweeper", new Sweeper(client, connections, teller, profile), Sweeper.EVERY_MILLIS);
        dispatcher.start();
    }

    private void repeat(String purpose, Runnable duty, long everyMillis) {
        ScheduledExecutorService scheduler = threads.scheduler(purpose);
        executors.add(scheduler);
        scheduler.scheduleWithFixedDelay(duty, everyMillis, everyMillis, TimeUnit.MILLISECONDS);
    }

    /** Ends what can be ended; threads that hang stay behind. */
    public void close() throws Exception {
        executors.add(dispatcher.close());
        auditor.close();
        reminders.close();
        executors.forEach(ExecutorService::shutdownNow);
        for (ExecutorService executor : executors) {
            executor.awaitTermination(CLOSE_MILLIS, TimeUnit.MILLISECONDS);
        }
        presence.close();
        client.close();
    }
}
