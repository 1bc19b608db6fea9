/* SPDX-License-Identifier: Apache-2.0 */
package shop.front;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.servlet.http.HttpServletRequest;
import shop.base.ConnectionPool;
import shop.base.Http;
import shop.base.WebServer;

/** Finds items by their names. */
final class SearchPage implements WebServer.Page {
    private final ConnectionPool connections;

    SearchPage(ConnectionPool connections) {
        this.connections = connections;
    }

    @Override
    public Http.Reply reply(HttpServletRequest request) throws SQLException, InterruptedException {
        List<String> found = new ArrayList<>();
        for (String term : SearchTerms.parse(request.getParameter("q"))) {
            find(term, found);
        }
        return WebServer.good(String.join(" ", found));
    }

    private void find(String term, List<String> found) throws SQLException, InterruptedException {
        Connection connection = connections.borrow();
        try (PreparedStatement query = connection.prepareStatement("SELECT id FROM product WHERE name LIKE ?")) {
            query.setString(1, "%" + term + "%");
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    found.add(rows.getString(1));
                }
            }
        } finally {
            connections.giveBack(connection);
        }
    }
}
