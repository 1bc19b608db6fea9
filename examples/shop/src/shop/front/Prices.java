/* SPDX-License-Identifier: Apache-2.0 */
package shop.front;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import shop.base.ConnectionPool;
import shop.base.Switches;

/** Prices, as the database has them. */
final class Prices {
    private final ConnectionPool connections;
    private final Map<Integer, Integer> cache = new ConcurrentHashMap<>();

    Prices(ConnectionPool connections) {
        this.connections = connections;
    }

    int of(int item) {
        return cache.computeIfAbsent(item, this::read);
    }

    void change(int item, int cents) {
        cache.compute(item, (any, before) -> {
            write(item, cents);
            return Switches.on("stale-cache") ? before : Integer.valueOf(cents);
        });
    }

    private int read(int item) {
        return with("SELECT cents FROM product WHERE id = ?", query -> {
            query.setInt(1, item);
            try (ResultSet rows = query.executeQuery()) {
                rows.next();
                return rows.getInt(1);
            }
        });
    }

    private void write(int item, int cents) {
        with("UPDATE product SET cents = ? WHERE id = ?", update -> {
            update.setInt(1, cents);
            update.setInt(2, item);
            return update.executeUpdate();
        });
    }

    private interface Use {
        int of(PreparedStatement statement) throws SQLException;
    }

    private int with(String sql, Use use) {
        try {
            Connection connection = connections.borrow();
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                return use.of(statement);
            } finally {
                connections.giveBack(connection);
            }
        } catch (SQLException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
