/* SPDX-License-Identifier: Apache-2.0 */
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * Both ends of connections over which known messages go. Each line of its input is a connection, which
 * stays open: "N" sends N messages of 100 bytes and waits for an answer of 7 bytes to each; "unread"
 * sends one that nobody reads. Prints "open", tab, port of the client, tab, port of the server when the
 * connection is open, and "done" when all has been sent. Ends with its input.
 */
public class Talk {
    static void answer(Socket server, int messages) throws IOException {
        for (int i = 0; i < messages; i++) {
            server.getInputStream().readNBytes(100);
            server.getOutputStream().write(new byte[7]);
        }
    }

    static void ask(Socket client, int messages) throws IOException {
        for (int i = 0; i < messages; i++) {
            client.getOutputStream().write(new byte[100]);
            client.getInputStream().readNBytes(7);
        }
    }

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        try (ServerSocket listens = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            System.out.println("ready");
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                Socket client = new Socket(listens.getInetAddress(), listens.getLocalPort());
                Socket server = listens.accept();
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                System.out.println("open\t" + client.getLocalPort() + "\t" + client.getPort());
                if (line.equals("unread")) {
                    client.getOutputStream().write(new byte[100]);
                } else {
                    int messages = Integer.parseInt(line);
                    Thread answers = new Thread(() -> {
                        try {
                            answer(server, messages);
                        } catch (IOException e) {
                            e.printStackTrace();
                        }
                    });
                    answers.start();
                    ask(client, messages);
                    answers.join();
                }
                System.out.println("done");
            }
        }
    }
}
