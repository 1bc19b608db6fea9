/* SPDX-License-Identifier: Apache-2.0 */
package shop.front;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.servlet.http.HttpServletRequest;
import shop.base.Http;
import shop.base.Switches;
import shop.base.WebServer;

/** Asks what goes well with the items that a customer looked at, for all at the same time. */
final class Teasers implements WebServer.Page {
    private static final int THREADS = 4;

    private final Http orders;

    Teasers(Http orders) {
        this.orders = orders;
    }

    @Override
    public Http.Reply reply(HttpServletRequest request) throws InterruptedException, ExecutionException {
        ExecutorService pool = Executors.newFixedThreadPool(THREADS);
        List<Future<String>> asked = new ArrayList<>();
        for (String item : request.getParameter("items").split(" ")) {
            asked.add(pool.submit(() -> beside(item)));
        }
        List<String> teasers = new ArrayList<>();
        for (Future<String> one : asked) {
            teasers.add(one.get());
        }
        if (!Switches.on("thread-leak")) {
            pool.shutdown();
        }
        return WebServer.good(String.join(" ", teasers));
    }

    private String beside(String item) throws IOException {
        return orders.get("recommend", "item", item).text();
    }
}
