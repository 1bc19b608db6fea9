/* SPDX-License-Identifier: Apache-2.0 */
package shop.orders;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import shop.base.Switches;

/** Prints or mails receipts, one at a time, on a thread of its own; who orders waits. */
final class Receipts implements Runnable {
    private record Receipt(String token, String mail, CompletableFuture<String> done) {
    }

    private final BlockingQueue<Receipt> waiting = new LinkedBlockingQueue<>();
    private long printed;

    void send(String token, String mail) {
        Receipt receipt = new Receipt(token, mail, new CompletableFuture<>());
        waiting.add(receipt);
        receipt.done.join();
    }

    @Override
    public void run() {
        try {
            while (true) {
                handle(waiting.take());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void handle(Receipt receipt) {
        if (!receipt.mail.isEmpty()) {
            receipt.done.complete(receipt.token + " to " + receipt.mail);
        } else if (!Switches.on("lost-reply")) {
            receipt.done.complete(receipt.token + " is sheet " + ++printed);
        }
    }
}
