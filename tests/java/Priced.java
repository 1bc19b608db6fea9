// SPDX-License-Identifier: Apache-2.0

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A server that tells prices, and its client, which asks for the items 0 to 39 and believes what it gets.
 * Priced$Server PORT-FILE ITEM: the price of that item is wrong (-1: of none). Priced$Client PORT-FILE
 */
public class Priced {
    public static class Server {
        private static int wrong;

        public static void main(String[] args) throws Exception {
            wrong = Integer.parseInt(args[1]);
            try (ServerSocket server = new ServerSocket(0)) {
                Path written = Path.of(args[0] + ".new");
                Files.writeString(written, Integer.toString(server.getLocalPort()));
                Files.move(written, Path.of(args[0]), StandardCopyOption.ATOMIC_MOVE);
                try (Socket client = server.accept()) {
                    serve(client);
                }
            }
        }

        private static void serve(Socket client) throws Exception {
            DataInputStream in = new DataInputStream(client.getInputStream());
            DataOutputStream out = new DataOutputStream(client.getOutputStream());
            try {
                for (;;)
                    out.writeInt(price(in.readInt()));
            } catch (EOFException e) {
                return;
            }
        }

        private static int price(int item) throws InterruptedException {
            Thread.sleep(8);
            if (item == wrong)
                return item; // rare
            return 3 * item + 1;
        }
    }

    public static class Client {
        public static void main(String[] args) throws IOException {
            int port = Integer.parseInt(Files.readString(Path.of(args[0])));
            try (Socket server = new Socket("127.0.0.1", port)) {
                DataInputStream in = new DataInputStream(server.getInputStream());
                DataOutputStream out = new DataOutputStream(server.getOutputStream());
                long sum = 0;
                for (int item = 0; item < 40; item++) {
                    out.writeInt(item);
                    sum += in.readInt();
                }
                System.out.println(sum);
            }
        }
    }
}
