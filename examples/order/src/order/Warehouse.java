/* SPDX-License-Identifier: Apache-2.0 */
package order;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;

/**
 * Hears of each order from the shop and, 150 ms later, of its payment from the bank.
 *
 * <p>The defect: it takes for granted that the order comes first. They come by two connections, each with
 * a thread of its own, and making room for an order takes 50 ms: if the warehouse stands still until both
 * messages are there, the payment is looked at first, and has no order. Mended, a payment waits for its
 * order.
 *
 * <p>Arguments: the run's directory, "defect" or "mended". Exit status 1: a payment had no order.
 */
public final class Warehouse {
    private static final int SHELVES = 10;
    private static final long SHELF_MILLIS = 5;

    private final Set<Integer> orders = new HashSet<>();
    private final boolean mended;
    private boolean wrong;

    private Warehouse(boolean mended) {
        this.mended = mended;
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        Warehouse warehouse = new Warehouse(args[1].equals("mended"));
        try (ServerSocket door = Link.listen(args[0], "warehouse");
                Socket one = door.accept();
                Socket other = door.accept()) {
            Thread[] readers = {new Thread(() -> warehouse.read(one), "reader-1"),
                    new Thread(() -> warehouse.read(other), "reader-2")};
            for (Thread reader : readers) {
                reader.start();
            }
            for (Thread reader : readers) {
                reader.join();
            }
        }
        if (warehouse.wrong) {
            System.exit(1);
        }
    }

    private void read(Socket from) {
        try (BufferedReader lines = new BufferedReader(
                new InputStreamReader(from.getInputStream(), StandardCharsets.US_ASCII))) {
            for (String line; (line = lines.readLine()) != null;) {
                String[] words = line.split(" ");
                if (words[0].equals("order")) {
                    makeRoom();
                    order(Integer.parseInt(words[1]));
                } else {
                    paid(Integer.parseInt(words[1]));
                }
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void makeRoom() throws InterruptedException {
        for (int shelf = 0; shelf < SHELVES; shelf++) {
            Thread.sleep(SHELF_MILLIS);
        }
    }

    private synchronized void order(int number) {
        orders.add(number);
        notifyAll();
    }

    private synchronized void paid(int number) throws InterruptedException {
        while (mended && !orders.contains(number)) {
            wait();
        }
        if (!orders.contains(number)) {
            System.out.println("payment " + number + " has no order");
            wrong = true;
        }
    }
}
