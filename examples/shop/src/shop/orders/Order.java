/* SPDX-License-Identifier: Apache-2.0 */
package shop.orders;

import javax.servlet.http.HttpServletRequest;
import shop.base.WebServer;

/** What a customer wants to buy. The token is the customer's own name for the order. */
record Order(String token, int customer, int item, int quantity, int discount) {
    static Order of(HttpServletRequest request) {
        return new Order(request.getParameter("token"), WebServer.number(request, "customer"),
                WebServer.number(request, "item"), WebServer.number(request, "quantity"),
                WebServer.number(request, "discount"));
    }
}
