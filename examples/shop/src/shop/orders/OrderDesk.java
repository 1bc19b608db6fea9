/* SPDX-License-Identifier: Apache-2.0 */
package shop.orders;

import java.io.IOException;
import java.sql.SQLException;
import java.util.OptionalLong;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import shop.base.Http;
import shop.base.Switches;
import shop.base.WebServer;

/** Takes orders: what is ordered is taken from the shelf, paid for, and confirmed by a receipt. */
final class OrderDesk implements WebServer.Page {
    private final Purchases purchases;
    private final Accounts accounts;
    private final Ledger ledger;
    private final StockLink stock;
    private final Receipts receipts;

    OrderDesk(Purchases purchases, Accounts accounts, Ledger ledger, StockLink stock, Receipts receipts) {
        this.purchases = purchases;
        this.accounts = accounts;
        this.ledger = ledger;
        this.stock = stock;
        this.receipts = receipts;
    }

    /** An order that comes again under the same token is the same order. */
    @Override
    public Http.Reply reply(HttpServletRequest request) throws Exception {
        Order order = Order.of(request);
        OptionalLong paid = purchases.total(order.token());
        if (paid.isPresent() && !Switches.on("duplicate-order")) {
            return accepted(paid.getAsLong());
        }
        return take(order) ? accepted(sell(order)) : new Http.Reply(HttpServletResponse.SC_CONFLICT, "sold out");
    }

    /** In the ledger's order: while an item is booked, nobody else books it. */
    private boolean take(Order order) throws IOException, InterruptedException {
        Ledger.Entry entry = ledger.entry(order.item());
        entry.lock();
        try {
            boolean taken = stock.take(order.item(), order.quantity());
            if (taken) {
                entry.add(order.quantity());
            }
            return taken;
        } finally {
            entry.unlock();
        }
    }

    private long sell(Order order) throws SQLException, InterruptedException {
        int cents = purchases.price(order.item());
        long total = Bill.total(cents, order.quantity(), order.discount());
        String mail = accounts.charge(order, cents, total);
        receipts.send(order.token(), mail);
        return total;
    }

    private static Http.Reply accepted(long total) {
        return WebServer.good("accepted " + total);
    }
}
