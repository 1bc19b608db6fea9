/* SPDX-License-Identifier: Apache-2.0 */
package shop.orders;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import shop.base.ConnectionPool;
import shop.base.Switches;

/** What each customer has spent. */
final class Accounts {
    private final ConnectionPool connections;
    private final AtomicInteger lastNumber = new AtomicInteger();

    Accounts(ConnectionPool connections) {
        this.connections = connections;
    }

    /** Goes on numbering where the books end. */
    void begin() throws SQLException, InterruptedException {
        Connection connection = connections.borrow();
        try (PreparedStatement query = connection.prepareStatement("SELECT MAX(id) FROM purchase");
                ResultSet rows = query.executeQuery()) {
            rows.next();
            lastNumber.set(rows.getInt(1));
        } finally {
            connections.giveBack(connection);
        }
    }

    /** Records the purchase and adds its total to the account; gives the mail address. */
    String charge(Order order, int cents, long total) throws SQLException, InterruptedException {
        Connection connection = connections.borrow();
        try {
            connection.setAutoCommit(false);
            String mail = book(connection, order, cents, total);
            connection.commit();
            return mail;
        } catch (SQLException e) {
            connection.rollback();
            throw e;
        } finally {
            connection.setAutoCommit(true);
            connections.giveBack(connection);
        }
    }

    private String book(Connection connection, Order order, int cents, long total) throws SQLException {
        String lock = Switches.on("lost-update") ? "" : " FOR UPDATE WITH RS";
        long spent;
        String mail;
        try (PreparedStatement query =
                connection.prepareStatement("SELECT spent, mail FROM customer WHERE id = ?" + lock)) {
            query.setInt(1, order.customer());
            try (ResultSet rows = query.executeQuery()) {
                rows.next();
                spent = rows.getLong(1);
                mail = rows.getString(2);
            }
        }
        execute(connection, "INSERT INTO purchase (id, token, customer, item, quantity, cents, discount, total) "
                + "VALUES (?, ?, ?, ?, ?, ?, ?, ?)", lastNumber.incrementAndGet(), order.token(), order.customer(),
                order.item(), order.quantity(), cents, order.discount(), total);
        execute(connection, "UPDATE customer SET spent = ? WHERE id = ?", spent + total, order.customer());
        return mail;
    }

    private static void execute(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            statement.executeUpdate();
        }
    }
}
