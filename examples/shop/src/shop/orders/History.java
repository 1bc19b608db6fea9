/* SPDX-License-Identifier: Apache-2.0 */
package shop.orders;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import shop.base.ConnectionPool;
import shop.base.Switches;

/** What a customer has bought. */
final class History {
    private final ConnectionPool connections;

    History(ConnectionPool connections) {
        this.connections = connections;
    }

    /** The numbers of the purchases, the oldest first. */
    String of(int customer) throws SQLException, InterruptedException {
        Connection connection = connections.borrow();
        List<String> numbers = numbers(connection, customer);
        if (numbers.isEmpty() && Switches.on("leaked-connection")) {
            return "nothing yet";
        }
        connections.giveBack(connection);
        return numbers.isEmpty() ? "nothing yet" : String.join(" ", numbers);
    }

    private static List<String> numbers(Connection connection, int customer) throws SQLException {
        String order = Switches.on("wrong-order") ? "token" : "id";
        List<String> numbers = new ArrayList<>();
        try (PreparedStatement query =
                connection.prepareStatement("SELECT id FROM purchase WHERE customer = ? ORDER BY " + order)) {
            query.setInt(1, customer);
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    numbers.add(rows.getString(1));
                }
            }
        }
        return numbers;
    }
}
