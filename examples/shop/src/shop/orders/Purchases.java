/* SPDX-License-Identifier: Apache-2.0 */
package shop.orders;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.OptionalLong;
import shop.base.ConnectionPool;

/** Looks up what was bought, and what things cost. */
final class Purchases {
    private final ConnectionPool connections;

    Purchases(ConnectionPool connections) {
        this.connections = connections;
    }

    /** What was paid for an order, if it is known. */
    OptionalLong total(String token) throws SQLException, InterruptedException {
        return one("SELECT total FROM purchase WHERE token = ?", token);
    }

    int price(int item) throws SQLException, InterruptedException {
        return (int) one("SELECT cents FROM product WHERE id = ?", item).orElseThrow();
    }

    private OptionalLong one(String sql, Object key) throws SQLException, InterruptedException {
        Connection connection = connections.borrow();
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setObject(1, key);
            try (ResultSet rows = query.executeQuery()) {
                return rows.next() ? OptionalLong.of(rows.getLong(1)) : OptionalLong.empty();
            }
        } finally {
            connections.giveBack(connection);
        }
    }
}
