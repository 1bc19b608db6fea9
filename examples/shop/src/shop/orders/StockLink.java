/* SPDX-License-Identifier: Apache-2.0 */
package shop.orders;

import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.LinkedBlockingDeque;

/** Connections to the stock service, which stay open; one for each request that is under way. */
final class StockLink {
    private record Line(Socket socket, BufferedReader in, PrintWriter out) {
        static Line open(String address, int port) throws IOException {
            Socket socket = new Socket(address, port);
            socket.setTcpNoDelay(true);
            return new Line(socket,
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8)),
                    new PrintWriter(socket.getOutputStream(), true, StandardCharsets.UTF_8));
        }

        String ask(String question) throws IOException {
            out.println(question);
            String answer = in.readLine();
            if (answer == null) {
                throw new EOFException("the stock service has hung up");
            }
            return answer;
        }
    }

    private final String address;
    private final int port;
    private final BlockingDeque<Line> idle = new LinkedBlockingDeque<>();

    StockLink(String address, int port) {
        this.address = address;
        this.port = port;
    }

    /** Whether there was enough. A line that breaks is not used again. */
    boolean take(int item, int quantity) throws IOException {
        Line line = idle.poll();
        if (line == null) {
            line = Line.open(address, port);
        }
        String answer = line.ask("reserve " + item + " " + quantity);
        idle.push(line);
        if (answer.equals("error")) {
            throw new IOException("the stock service has a problem with item " + item);
        }
        return answer.equals("taken");
    }
}
