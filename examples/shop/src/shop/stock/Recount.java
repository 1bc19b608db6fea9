/* SPDX-License-Identifier: Apache-2.0 */
package shop.stock;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import shop.base.ConnectionPool;
import shop.base.Switches;

/** Goes from shelf to shelf and writes down how often each has been counted. */
final class Recount implements Runnable {
    private static final int ITEMS = 12;

    private final ConnectionPool connections;
    private Connection connection;
    private int item;

    Recount(ConnectionPool connections) {
        this.connections = connections;
    }

    @Override
    public void run() {
        try {
            if (connection == null) {
                connection = connections.borrow();
                connection.setAutoCommit(false);
            }
            item = item % ITEMS + 1;
            count();
            if (!Switches.on("kept-lock")) {
                connection.commit();
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void count() throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE stock SET counted = counted + 1 WHERE item = ?")) {
            update.setInt(1, item);
            update.executeUpdate();
        }
    }
}
