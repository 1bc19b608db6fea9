/* SPDX-License-Identifier: Apache-2.0 */
package bank.node;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import bank.plan.Plan;
import bank.plan.Transfer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorWatcher;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;
import org.apache.zookeeper.CreateMode;

/** Leads for one batch at a time: hands its transfers out, waits until they are booked, resigns. */
final class Dispatcher extends LeaderSelectorListenerAdapter {
    private final int node;
    private final int batches;
    private final CuratorFramework client;
    private final Profile profile;
    private final ExecutorService leading;
    private final LeaderSelector selector;
    private final CountDownLatch finished = new CountDownLatch(1);
    private final Semaphore changes = new Semaphore(0);
    private final CuratorWatcher watcher = event -> changes.release();

    Dispatcher(int node, int batches, CuratorFramework client, NodeThreads threads, Profile profile) {
        this.node = node;
        this.batches = batches;
        this.client = client;
        this.profile = profile;
        leading = Executors.newCachedThreadPool(threads.factory("leader"));
        selector = new LeaderSelector(client, Paths.LEADER, leading, this);
        selector.autoRequeue();
    }

    void start() {
        selector.start();
    }

    /** Returns the threads that lead or want to, for the caller to end. */
    ExecutorService close() {
        finished.countDown();
        selector.close();
        return leading;
    }

    @Override
    public void takeLeadership(CuratorFramework framework) throws Exception {
        int batch = client.getChildren().forPath(Paths.BATCHES).size();
        if (batch == batches) {
            finished.await();
            return;
        }
        if (client.checkExists().forPath(Paths.of(Paths.DISPATCHED, batch)) == null) {
            dispatch(batch);
        }
        awaitBooked();
        client.create().forPath(Paths.of(Paths.BATCHES, batch), Paths.bytes(Integer.toString(node)));
    }

    /** All tasks of the batch come into being at once, or none. */
    private void dispatch(int batch) throws Exception {
        List<Integer> ring = ring();
        List<CuratorOp> all = new ArrayList<>();
        all.add(client.transactionOp().create().forPath(Paths.of(Paths.DISPATCHED, batch)));
        for (String line : Paths.text(client.getData().forPath(Paths.of(Paths.PLAN, batch))).split("\n")) {
            Transfer transfer = Transfer.parse(line);
            String inbox = Paths.of(Paths.INBOX, ring.get(transfer.from() % ring.size()));
            all.add(client.transactionOp().create().withMode(CreateMode.PERSISTENT_SEQUENTIAL)
                    .forPath(inbox + "/t-", Paths.bytes(line)));
        }
        client.transaction().forOperations(all);
    }

    /** The nodes in the order in which the accounts go round. */
    private List<Integer> ring() {
        List<Integer> ring = new ArrayList<>();
        for (int number = 1; number <= Plan.NODES; number++) {
            ring.add(number);
        }
        if (profile.has("wrong-node")) {
            Collections.rotate(ring, 1);
        }
        return ring;
    }

    private void awaitBooked() throws Exception {
        changes.drainPermits();
        while (open() > 0 || profile.has("endless-term")) {
            changes.acquire();
        }
    }

    /** How many tasks there are still; what it sees it watches. */
    private int open() throws Exception {
        int open = 0;
        for (int number = 1; number <= Plan.NODES; number++) {
            open += client.getChildren().usingWatcher(watcher).forPath(Paths.of(Paths.INBOX, number)).size();
        }
        return open;
    }
}
