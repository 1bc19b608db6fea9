/* SPDX-License-Identifier: Apache-2.0 */
package order;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Connections on this host: who listens leaves the port in a file of the run's directory. */
final class Link {
    /** How many orders a run has, and their distance. */
    static final int ORDERS = 7;
    static final long EVERY_MILLIS = 160;

    private static final long LOOK_MILLIS = 5;

    private Link() {}

    static ServerSocket listen(String directory, String name) throws IOException {
        ServerSocket socket = new ServerSocket(0, 2, InetAddress.getLoopbackAddress());
        Path whole = Path.of(directory, name), part = Path.of(directory, name + ".part");
        Files.writeString(part, Integer.toString(socket.getLocalPort()));
        Files.move(part, whole, StandardCopyOption.ATOMIC_MOVE);
        return socket;
    }

    static Socket connect(String directory, String name) throws IOException, InterruptedException {
        Path file = Path.of(directory, name);
        while (!Files.exists(file)) {
            Thread.sleep(LOOK_MILLIS);
        }
        return new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(Files.readString(file)));
    }

    static void send(Socket to, String verb, int order) throws IOException {
        to.getOutputStream().write((verb + " " + order + "\n").getBytes(StandardCharsets.US_ASCII));
    }
}
