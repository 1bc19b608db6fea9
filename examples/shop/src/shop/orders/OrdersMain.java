/* SPDX-License-Identifier: Apache-2.0 */
package shop.orders;

import java.util.concurrent.Executors;
import shop.base.ConnectionPool;
import shop.base.Machine;
import shop.base.WebServer;

/** The machine "Orders": takes orders, and knows what has been ordered. */
public final class OrdersMain {
    private static final int CONNECTIONS = 8;

    private OrdersMain() {
    }

    public static void main(String[] arguments) throws Exception {
        Machine machine = Machine.begin(arguments);
        Receipts receipts = new Receipts();
        Executors.newSingleThreadExecutor().execute(receipts);
        ConnectionPool connections = machine.connections(CONNECTIONS);
        Ledger ledger = new Ledger();
        Accounts accounts = new Accounts(connections);
        OrderDesk desk = new OrderDesk(new Purchases(connections), accounts, ledger,
                new StockLink(machine.address(), machine.settings().integer("stock-port")), receipts);
        History history = new History(connections);
        Recommendation recommendation = new Recommendation(connections);
        machine.awaitReady("database", "stock");
        accounts.begin();
        new WebServer().page("order", desk)
                .page("history", request -> WebServer.good(history.of(WebServer.number(request, "customer"))))
                .page("recommend", request -> WebServer.good(recommendation.beside(WebServer.number(request, "item"))))
                .page("outlook", request -> WebServer.good(ledger.outlook(WebServer.number(request, "item"))))
                .start(machine);
        machine.ready();
    }
}
