/* SPDX-License-Identifier: Apache-2.0 */
package order;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Takes 150 ms for a payment, and then tells the warehouse. Argument: the run's directory. */
public final class Bank {
    private static final long MILLIS = 150;

    private Bank() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        try (ServerSocket door = Link.listen(args[0], "bank");
                Socket warehouse = Link.connect(args[0], "warehouse");
                Socket shop = door.accept();
                BufferedReader lines = new BufferedReader(
                        new InputStreamReader(shop.getInputStream(), StandardCharsets.US_ASCII))) {
            for (String line; (line = lines.readLine()) != null;) {
                Thread.sleep(MILLIS);
                Link.send(warehouse, "paid", Integer.parseInt(line.split(" ")[1]));
            }
        }
    }
}
