/* SPDX-License-Identifier: Apache-2.0 */
package shop.stock;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;

/** Answers what comes over one connection: lines {@code reserve ITEM QUANTITY}. */
final class Conversation implements Runnable {
    private final Socket socket;
    private final Shelves shelves;

    Conversation(Socket socket, Shelves shelves) {
        this.socket = socket;
        this.shelves = shelves;
    }

    @Override
    public void run() {
        try (socket;
                BufferedReader in =
                        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
                PrintWriter out = new PrintWriter(socket.getOutputStream(), true, StandardCharsets.UTF_8)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                out.println(answer(line.split(" ")));
            }
        } catch (IOException e) {
            // The other side has left.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private String answer(String[] words) throws InterruptedException {
        try {
            return shelves.take(Integer.parseInt(words[1]), Integer.parseInt(words[2])) ? "taken" : "sold-out";
        } catch (SQLException e) {
            e.printStackTrace();
            return "error";
        }
    }
}
