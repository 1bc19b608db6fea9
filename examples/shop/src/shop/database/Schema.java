/* SPDX-License-Identifier: Apache-2.0 */
package shop.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Random;

/** The shop's tables, and what is in them when it opens. */
final class Schema {
    private static final List<String> NAMES = List.of("red mug", "large mug", "tea pot", "blue plate", "large plate",
            "soup bowl", "salad bowl", "egg cup", "milk jug", "red tray", "cake stand", "old clock");
    /** The last item is rare and never comes again; of the others there is enough. */
    private static final int RARE_UNITS = 2;
    private static final int UNITS = 400;
    private static final int CUSTOMERS = 60;
    /** Customers of former years, who come no more. */
    private static final int FORMER_CUSTOMERS = 500;
    private static final int FORMER_PURCHASES = 3000;
    private static final int FIRST_FORMER = 1000;

    private final Connection connection;

    Schema(Connection connection) {
        this.connection = connection;
    }

    void create(long seed) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE product (id INT PRIMARY KEY, name VARCHAR(40) NOT NULL, cents INT)");
            statement.execute("CREATE TABLE stock (item INT PRIMARY KEY, units INT NOT NULL, initial INT NOT NULL, "
                    + "refilled INT NOT NULL, counted INT NOT NULL)");
            statement.execute("CREATE TABLE customer (id INT PRIMARY KEY, spent BIGINT NOT NULL, mail VARCHAR(40))");
            statement.execute("CREATE TABLE purchase (id INT PRIMARY KEY, "
                    + "token VARCHAR(20) NOT NULL, customer INT NOT NULL, item INT NOT NULL, quantity INT NOT NULL, "
                    + "cents INT NOT NULL, discount INT NOT NULL, total BIGINT NOT NULL)");
            statement.execute("CREATE INDEX purchase_customer ON purchase (customer)");
            statement.execute("CREATE INDEX purchase_item ON purchase (item)");
            statement.execute("CREATE INDEX purchase_token ON purchase (token)");
        }
        addProducts();
        addCustomers();
        addFormerPurchases(new Random(seed));
        connection.commit();
    }

    private void addProducts() throws SQLException {
        try (PreparedStatement product = connection.prepareStatement("INSERT INTO product VALUES (?, ?, ?)");
                PreparedStatement stock = connection.prepareStatement("INSERT INTO stock VALUES (?, ?, ?, 0, 0)")) {
            for (int id = 1; id <= NAMES.size(); id++) {
                int units = id == NAMES.size() ? RARE_UNITS : UNITS;
                insert(product, id, NAMES.get(id - 1), 333 + 121 * id);
                insert(stock, id, units, units);
            }
        }
    }

    /** Each fifth has left no address for mail. */
    private void addCustomers() throws SQLException {
        try (PreparedStatement customer = connection.prepareStatement("INSERT INTO customer VALUES (?, 0, ?)")) {
            for (int id = 1; id <= CUSTOMERS; id++) {
                insert(customer, id, id % 5 == 0 ? "" : "customer" + id + "@example.org");
            }
        }
    }

    private void addFormerPurchases(Random random) throws SQLException {
        try (PreparedStatement purchase = connection.prepareStatement("INSERT INTO purchase (id, "
                + "token, customer, item, quantity, cents, discount, total) VALUES (?, ?, ?, ?, 1, 100, 0, 100)")) {
            for (int i = 0; i < FORMER_PURCHASES; i++) {
                insert(purchase, i + 1, "former-" + i, FIRST_FORMER + random.nextInt(FORMER_CUSTOMERS),
                        1 + random.nextInt(NAMES.size()));
            }
        }
    }

    private static void insert(PreparedStatement statement, Object... values) throws SQLException {
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        statement.executeUpdate();
    }
}
