/* SPDX-License-Identifier: Apache-2.0 */
package shop.base;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;

/** At most so many connections to the database; who borrows one waits while all are lent. */
public final class ConnectionPool {
    private final String url;
    private final int size;
    private final Deque<Connection> idle = new ArrayDeque<>();
    private int opened;

    ConnectionPool(String url, int size) {
        this.url = url;
        this.size = size;
    }

    public Connection borrow() throws SQLException, InterruptedException {
        synchronized (this) {
            while (idle.isEmpty() && opened == size) {
                wait();
            }
            if (!idle.isEmpty()) {
                return idle.pop();
            }
            opened++;
        }
        return open();
    }

    public synchronized void giveBack(Connection connection) {
        idle.push(connection);
        notify();
    }

    private Connection open() throws SQLException {
        try {
            return DriverManager.getConnection(url);
        } catch (SQLException e) {
            synchronized (this) {
                opened--;
                notify();
            }
            throw e;
        }
    }
}
