/* SPDX-License-Identifier: Apache-2.0 */
package shop.front;

import javax.servlet.http.HttpServletRequest;
import shop.base.Http;
import shop.base.WebServer;

/** The page of one item: its price, and its picture's tag. */
final class ItemPage implements WebServer.Page {
    private final Prices prices;
    private final Pictures pictures;

    ItemPage(Prices prices, Pictures pictures) {
        this.prices = prices;
        this.pictures = pictures;
    }

    @Override
    public Http.Reply reply(HttpServletRequest request) {
        int item = WebServer.number(request, "item");
        return WebServer.good(prices.of(item) + " " + pictures.tag(item, request.getParameter("visit")));
    }
}
