/* SPDX-License-Identifier: Apache-2.0 */
package order;

import java.io.IOException;
import java.net.Socket;

/** Tells the warehouse of each order, and then the bank of its price. Argument: the run's directory. */
public final class Shop {
    private Shop() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        try (Socket warehouse = Link.connect(args[0], "warehouse"); Socket bank = Link.connect(args[0], "bank")) {
            for (int order = 0; order < Link.ORDERS; order++) {
                Link.send(warehouse, "order", order);
                Link.send(bank, "pay", order);
                Thread.sleep(Link.EVERY_MILLIS);
            }
        }
    }
}
