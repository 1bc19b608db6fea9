/* SPDX-License-Identifier: Apache-2.0 */
package shop.stock;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ExecutorService;
import shop.base.Machine;

/** Takes connections; each is served by a thread of a pool as long as it lasts. */
final class StockServer {
    private static final int BACKLOG = 50;

    private final ServerSocket socket;
    private final Shelves shelves;
    private final ExecutorService conversations;

    StockServer(Machine machine, Shelves shelves, ExecutorService conversations) throws IOException {
        socket = new ServerSocket(machine.settings().integer("port"), BACKLOG,
                InetAddress.getByName(machine.address()));
        this.shelves = shelves;
        this.conversations = conversations;
    }

    void serve() throws IOException {
        while (true) {
            conversations.execute(new Conversation(socket.accept(), shelves));
        }
    }
}
