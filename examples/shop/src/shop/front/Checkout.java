/* SPDX-License-Identifier: Apache-2.0 */
package shop.front;

import java.io.IOException;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import shop.base.Http;
import shop.base.Switches;
import shop.base.WebServer;

/** Passes orders on. */
final class Checkout implements WebServer.Page {
    private static final long PAUSE_MILLIS = 10;

    private final Http orders;

    Checkout(Http orders) {
        this.orders = orders;
    }

    @Override
    public Http.Reply reply(HttpServletRequest request) throws IOException, InterruptedException {
        Http.Reply reply = submit(request);
        while (again(reply)) {
            Thread.sleep(PAUSE_MILLIS);
            reply = submit(request);
        }
        return reply;
    }

    /** Whether another attempt can help: the order service was busy. */
    private static boolean again(Http.Reply reply) {
        return reply.status() == HttpServletResponse.SC_SERVICE_UNAVAILABLE
                || reply.status() == HttpServletResponse.SC_CONFLICT && Switches.on("endless-retry");
    }

    private Http.Reply submit(HttpServletRequest request) throws IOException {
        return orders.post("order", "token", request.getParameter("token"), "customer",
                request.getParameter("customer"), "item", request.getParameter("item"), "quantity",
                request.getParameter("quantity"), "discount", request.getParameter("discount"));
    }
}
