// SPDX-License-Identifier: Apache-2.0

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A server and its client, which fail as flaky tests do. Flaky$Server PORT-FILE FAULT: serves one
 * connection, then ends. Flaky$Client PORT-FILE FAULT: 30 requests. Both begin at a line of their
 * input. Faults:
 *   bind     the server's port is taken
 *   refused  nobody listens where the client connects
 *   hang     the server never ends: -Dlinger is 0
 *   none
 */
public class Flaky {
    private static void start() throws IOException {
        System.in.read();
    }

    public static class Server {
        private static final Object CLOSED = new Object();

        public static void main(String[] args) throws Exception {
            start();
            try (ServerSocket first = new ServerSocket(0);
                    ServerSocket server = args[1].equals("bind") ? open(first.getLocalPort()) : first) {
                Path written = Path.of(args[0] + ".new");
                Files.writeString(written, Integer.toString(server.getLocalPort()));
                Files.move(written, Path.of(args[0]), StandardCopyOption.ATOMIC_MOVE);
                serve(server);
            }
            drain(Long.getLong("linger"));
        }

        private static ServerSocket open(int port) throws IOException {
            return new ServerSocket(port);
        }

        private static void serve(ServerSocket server) throws Exception {
            try (Socket client = server.accept()) {
                DataInputStream in = new DataInputStream(client.getInputStream());
                DataOutputStream out = new DataOutputStream(client.getOutputStream());
                for (int request = in.readInt(); request != 0; request = in.readInt()) {
                    Thread.sleep(20);
                    out.writeInt(request);
                }
            }
        }

        /** At most so many milliseconds; 0: for ever. */
        private static void drain(long linger) throws InterruptedException {
            synchronized (CLOSED) {
                CLOSED.wait(linger);
            }
        }
    }

    public static class Client {
        public static void main(String[] args) throws Exception {
            start();
            int port = Integer.parseInt(Files.readString(Path.of(args[0])));
            try (Socket server = connect(args[1].equals("refused") ? 1 : port)) {
                DataInputStream in = new DataInputStream(server.getInputStream());
                DataOutputStream out = new DataOutputStream(server.getOutputStream());
                for (int request = 30; request >= 0; request--) {
                    out.writeInt(request);
                    if (request != 0)
                        in.readInt();
                }
            }
        }

        private static Socket connect(int port) throws IOException {
            return new Socket("127.0.0.1", port);
        }
    }
}
