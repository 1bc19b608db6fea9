/* SPDX-License-Identifier: Apache-2.0 */
package bank.node;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import bank.plan.Plan;
import bank.plan.Transfer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorWatcher;
import org.apache.zookeeper.KeeperException;

/** Takes the tasks for this node and gives them to its workers, an account always to the same. */
final class Inbox implements Runnable {
    private static final int DIGITS = 10;

    private final CuratorFramework client;
    private final String path;
    private final Teller teller;
    private final Auditor auditor;
    private final List<ExecutorService> workers;
    private final Profile profile;
    private final Set<String> taken = ConcurrentHashMap.newKeySet();
    private final Semaphore changes = new Semaphore(0);
    private final CuratorWatcher watcher = event -> changes.release();

    Inbox(int node, CuratorFramework client, Teller teller, Auditor auditor, List<ExecutorService> workers,
            Profile profile) {
        this.client = client;
        path = Paths.of(Paths.INBOX, node);
        this.teller = teller;
        this.auditor = auditor;
        this.workers = workers;
        this.profile = profile;
    }

    @Override
    public void run() {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                look().forEach(this::take);
                awaitChange();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (Exception e) {
                changes.release();
            }
        }
    }

    /** What is there, in the order in which it came. */
    private List<String> look() throws Exception {
        boolean watched = !profile.once("lost-watch");
        List<String> names = new ArrayList<>(watched ? client.getChildren().usingWatcher(watcher).forPath(path)
                : client.getChildren().forPath(path));
        if (!profile.has("reorder")) {
            names.sort(Comparator.comparing(name -> name.substring(name.length() - DIGITS)));
        }
        return names;
    }

    private void awaitChange() throws InterruptedException {
        if (!profile.has("busy-poll")) {
            changes.acquire();
            changes.drainPermits();
        }
    }

    private void take(String name) {
        String taskPath = Paths.of(path, name);
        if (!taken.add(taskPath)) {
            return;
        }
        try {
            Transfer transfer = Transfer.parse(Paths.text(client.getData().forPath(taskPath)));
            int worker = transfer.from() / Plan.NODES % workers.size();
            workers.get(worker).execute(() -> work(new Task(taskPath, transfer)));
        } catch (KeeperException.NoNodeException e) {
            taken.remove(taskPath);
        } catch (Exception e) {
            again(taskPath);
        }
    }

    private void work(Task task) {
        try {
            bookOnce(task);
            auditor.announce(task.transfer());
            taken.remove(task.path());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            again(task.path());
        }
    }

    /** If the task is gone, an attempt before was booked although its reply was lost. */
    private void bookOnce(Task task) throws Exception {
        try {
            teller.book(task);
        } catch (KeeperException.NoNodeException e) {
            taken.remove(task.path());
        }
    }

    private void again(String taskPath) {
        taken.remove(taskPath);
        changes.release();
    }
}
