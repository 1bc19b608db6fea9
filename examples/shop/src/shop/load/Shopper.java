/* SPDX-License-Identifier: Apache-2.0 */
package shop.load;

import common.Settings;
import java.util.List;
import java.util.Random;
import shop.base.Http;

/** A customer, or rather a few who come one after the other: looks at things, searches, orders. */
final class Shopper implements Runnable {
    private static final List<String> SEARCHES =
            List.of("mug", "red mug", "\"large plate\" tea", "\"soup bowl", "cake \"old clock", "jug");
    private static final List<Integer> DISCOUNTS = List.of(0, 5, 15);
    private static final int ITEMS = 12;
    private static final int CUSTOMERS = 10;
    private static final int REGULARS = 2;
    /** Have not bought anything, and will not. */
    private static final int FIRST_GUEST = 41;
    private static final int GUESTS = 20;
    private static final long THINK_MILLIS = 10;
    private static final int THINK_MORE_MILLIS = 30;

    private final int number;
    private final Counter counter;
    private final int requests;
    private final long patienceMillis;
    private final Random random;
    private int made;

    Shopper(int number, Counter counter, Patience patience, Settings settings) {
        this.number = number;
        this.counter = counter;
        requests = settings.integer("requests");
        patienceMillis = patience.millis();
        random = new Random(settings.number("seed") * 31 + number);
    }

    /** Leaves when as much time was wasted as one request may take. */
    @Override
    public void run() {
        try {
            while (made < requests && counter.wastedMillis() < patienceMillis) {
                made++;
                visit(random.nextInt(100));
                Thread.sleep(THINK_MILLIS + random.nextInt(THINK_MORE_MILLIS));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Only the first shopper changes prices, so that no two changes overlap. */
    private void visit(int percent) {
        if (number == 1 && percent < 20) {
            change(1 + random.nextInt(3));
        } else if (percent < 48) {
            order();
        } else if (percent < 72) {
            view(random.nextInt(100) < 70 ? 1 + random.nextInt(3) : 1 + random.nextInt(ITEMS));
        } else if (percent < 84) {
            history();
        } else if (percent < 93) {
            String text = SEARCHES.get(random.nextInt(SEARCHES.size()));
            counter.ask("search", "-", front -> front.get("search", "q", text));
        } else {
            String items = "1 2 " + (3 + random.nextInt(ITEMS - 2));
            counter.ask("recommend", "-", front -> front.get("recommend", "items", items));
        }
    }

    /** Some click twice. */
    private void order() {
        String token = number + "-" + made;
        int customer = random.nextInt(100) < 60 ? 1 + random.nextInt(REGULARS) : 1 + random.nextInt(CUSTOMERS);
        int item = orderedItem(random.nextInt(100));
        int quantity = 1 + random.nextInt(3);
        int discount = DISCOUNTS.get(random.nextInt(DISCOUNTS.size()));
        String about = String.join(" ", token, "" + customer, "" + item, "" + quantity, "" + discount);
        Counter.Request request = front -> front.post("order", "token", token, "customer", customer, "item", item,
                "quantity", quantity, "discount", discount);
        Http.Reply reply = counter.ask("order", about, request);
        if (reply.good() && random.nextInt(100) < 12) {
            counter.ask("order", about, request);
        }
    }

    /** Half of the orders are for the two popular items, some for the last, the rare one. */
    private int orderedItem(int percent) {
        return percent < 50 ? 1 + percent % 2 : percent < 58 ? ITEMS : 1 + random.nextInt(ITEMS);
    }

    private void view(int item) {
        String visit = number + "-" + made;
        counter.ask("view", "" + item, front -> front.get("item", "item", item, "visit", visit));
    }

    private void change(int item) {
        int cents = 200 + random.nextInt(900);
        counter.ask("price", item + " " + cents, front -> front.post("price", "item", item, "cents", cents));
    }

    private void history() {
        int customer = random.nextInt(100) < 60 ? 1 + random.nextInt(CUSTOMERS) : FIRST_GUEST + random.nextInt(GUESTS);
        counter.ask("history", "" + customer, front -> front.get("history", "customer", customer));
    }
}
