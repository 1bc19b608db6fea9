/* SPDX-License-Identifier: Apache-2.0 */
package shop.front;

import shop.base.ConnectionPool;
import shop.base.Http;
import shop.base.Machine;
import shop.base.WebServer;

/** The machine "Front": the web server that customers see. */
public final class FrontMain {
    private static final int CONNECTIONS = 6;

    private FrontMain() {
    }

    public static void main(String[] arguments) throws Exception {
        Machine machine = Machine.begin(arguments);
        Http orders = new Http(machine.address(), machine.settings().text("orders-port"), 0);
        ConnectionPool connections = machine.connections(CONNECTIONS);
        AccessLog log = new AccessLog(machine.settings().directory().resolve("access-front.log"));
        Prices prices = new Prices(connections);
        machine.awaitReady("database", "orders");
        new WebServer().page("item", log.logged(new ItemPage(prices, new Pictures())))
                .page("price", log.logged(request -> {
                    prices.change(WebServer.number(request, "item"), WebServer.number(request, "cents"));
                    return WebServer.good("changed");
                }))
                .page("search", log.logged(new SearchPage(connections)))
                .page("order", log.logged(new Checkout(orders)))
                .page("history",
                        log.logged(request -> orders.get("history", "customer", request.getParameter("customer"))))
                .page("recommend", log.logged(new Teasers(orders)))
                .start(machine);
        machine.ready();
    }
}
