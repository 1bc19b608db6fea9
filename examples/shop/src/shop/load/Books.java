/* SPDX-License-Identifier: Apache-2.0 */
package shop.load;

import common.Journal;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import shop.base.ConnectionPool;

/** Copies the shop's tables into files, as they are at the end; does not wait for locks. */
final class Books {
    private final ConnectionPool connections;
    private final Path directory;

    Books(ConnectionPool connections, Path directory) {
        this.connections = connections;
        this.directory = directory;
    }

    void copy() throws SQLException, InterruptedException {
        Connection connection = connections.borrow();
        copy(connection, "purchase", "SELECT id, token, customer, item, quantity, cents, discount, total FROM purchase "
                + "WHERE customer < 1000 ORDER BY id");
        copy(connection, "customer", "SELECT id, spent FROM customer ORDER BY id");
        copy(connection, "stock", "SELECT item, units, initial, refilled FROM stock ORDER BY item");
        connection.close();
    }

    private void copy(Connection connection, String table, String query) throws SQLException {
        StringBuilder text = new StringBuilder();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query + " WITH UR")) {
            int columns = rows.getMetaData().getColumnCount();
            while (rows.next()) {
                for (int column = 1; column <= columns; column++) {
                    text.append(rows.getString(column)).append(column < columns ? '\t' : '\n');
                }
            }
        }
        Journal.writeWhole(directory.resolve("rows-" + table + ".txt"), text.toString());
    }
}
