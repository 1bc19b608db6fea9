/* SPDX-License-Identifier: Apache-2.0 */
package shop.stock;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import shop.base.ConnectionPool;

/** What is there of each item. Who changes a shelf has it to himself. */
final class Shelves {
    private final ConnectionPool connections;
    private final Map<Integer, Lock> locks = new ConcurrentHashMap<>();

    Shelves(ConnectionPool connections) {
        this.connections = connections;
    }

    Lock lock(int item) {
        return locks.computeIfAbsent(item, any -> new ReentrantLock());
    }

    /** Whether there was enough. */
    boolean take(int item, int quantity) throws SQLException, InterruptedException {
        Lock lock = lock(item);
        lock.lock();
        try {
            return change("UPDATE stock SET units = units - ? WHERE item = ? AND units >= ?", quantity, item, quantity);
        } finally {
            lock.unlock();
        }
    }

    /** The caller has the shelf's lock. */
    void put(int item, int quantity) throws SQLException, InterruptedException {
        change("UPDATE stock SET units = units + ?, refilled = refilled + ? WHERE item = ?", quantity, quantity, item);
    }

    private boolean change(String sql, int... values) throws SQLException, InterruptedException {
        Connection connection = connections.borrow();
        try (PreparedStatement update = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                update.setInt(i + 1, values[i]);
            }
            return update.executeUpdate() == 1;
        } finally {
            connections.giveBack(connection);
        }
    }
}
