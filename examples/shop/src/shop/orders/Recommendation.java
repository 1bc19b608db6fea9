/* SPDX-License-Identifier: Apache-2.0 */
package shop.orders;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import shop.base.ConnectionPool;
import shop.base.Switches;

/** What customers who bought an item bought beside it. */
final class Recommendation {
    private final ConnectionPool connections;

    Recommendation(ConnectionPool connections) {
        this.connections = connections;
    }

    /** The number of the item that was bought most often; 0 if there is none. */
    String beside(int item) throws SQLException, InterruptedException {
        String same = Switches.on("slow-query") ? "" : " AND other.customer = one.customer";
        Connection connection = connections.borrow();
        try (PreparedStatement query = connection.prepareStatement("SELECT other.item, COUNT(*) AS times "
                + "FROM purchase one JOIN purchase other ON other.item <> one.item" + same
                + " WHERE one.item = ? GROUP BY other.item ORDER BY times DESC")) {
            query.setInt(1, item);
            try (ResultSet rows = query.executeQuery()) {
                return rows.next() ? rows.getString(1) : "0";
            }
        } finally {
            connections.giveBack(connection);
        }
    }
}
