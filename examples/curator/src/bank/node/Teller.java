/* SPDX-License-Identifier: Apache-2.0 */
package bank.node;

import java.util.ArrayList;
import java.util.List;
import java.util.TimerTask;
import bank.plan.Transfer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;

/** Books transfers: balances, entry and the end of the task are one transaction. */
final class Teller {
    private final int node;
    private final CuratorFramework client;
    private final Locks locks;
    private final Gate gate;
    private final Tariff tariff;
    private final Book book;
    private final Statements statements;
    private final Reminders reminders;
    private final Profile profile;
    private volatile long lastBooking = System.nanoTime();

    Teller(int node, CuratorFramework client, Locks locks, Gate gate, Tariff tariff, Book book,
            Statements statements, Reminders reminders, Profile profile) {
        this.node = node;
        this.client = client;
        this.locks = locks;
        this.gate = gate;
        this.tariff = tariff;
        this.book = book;
        this.statements = statements;
        this.reminders = reminders;
        this.profile = profile;
    }

    private record Balances(long from, long to) {
    }

    /** Returns when the transfer is booked; an exception means that nobody knows. */
    void book(Task task) throws Exception {
        Transfer transfer = task.transfer();
        gate.enter();
        TimerTask reminder = reminders.start();
        try {
            long fee = tariff.fee(transfer.amount(), tariff.permille(transfer.batch()));
            Balances balances = settle(task, fee);
            book.add(transfer.from(), transfer.amount());
            statements.update(transfer, balances.from());
            lastBooking = System.nanoTime();
        } finally {
            reminder.cancel();
            gate.leave();
        }
    }

    /** How long ago the last booking was. */
    long idleMillis() {
        return (System.nanoTime() - lastBooking) / 1_000_000;
    }

    private Balances settle(Task task, long fee) throws Exception {
        Transfer transfer = task.transfer();
        Balances seen = profile.has("lost-update") ? read(transfer) : null;
        locks.acquire(transfer.from(), transfer.to());
        try {
            return commit(task, fee, seen == null ? read(transfer) : seen);
        } finally {
            locks.release(transfer.from(), transfer.to());
        }
    }

    private Balances read(Transfer transfer) throws Exception {
        return new Balances(balance(transfer.from()), balance(transfer.to()));
    }

    private long balance(int account) throws Exception {
        return Long.parseLong(Paths.text(client.getData().forPath(Paths.of(Paths.ACCOUNTS, account))));
    }

    private Balances commit(Task task, long fee, Balances seen) throws Exception {
        Transfer transfer = task.transfer();
        Balances next = new Balances(seen.from() - transfer.amount() - fee, seen.to() + transfer.amount());
        List<CuratorOp> all = new ArrayList<>();
        all.add(client.transactionOp().setData().forPath(Paths.of(Paths.ACCOUNTS, transfer.from()),
                Paths.bytes(Long.toString(next.from()))));
        all.add(client.transactionOp().setData().forPath(Paths.of(Paths.ACCOUNTS, transfer.to()),
                Paths.bytes(Long.toString(next.to()))));
        all.add(client.transactionOp().create().withMode(CreateMode.PERSISTENT_SEQUENTIAL)
                .forPath(Paths.of(Paths.ENTRIES, transfer.from()) + "/e-",
                        Paths.bytes(transfer.text() + " " + fee + " " + node)));
        boolean apart = profile.once("duplicate");
        if (!apart) {
            all.add(client.transactionOp().delete().forPath(task.path()));
        }
        client.transaction().forOperations(all);
        if (apart) {
            throw new KeeperException.OperationTimeoutException();
        }
        return next;
    }
}
