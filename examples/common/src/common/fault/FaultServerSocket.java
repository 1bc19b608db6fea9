/* SPDX-License-Identifier: Apache-2.0 */
package common.fault;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** Accepts sockets whose reads and writes pass the injector. Listens on the loopback interface only. */
final class FaultServerSocket extends ServerSocket {
    private static final int BACKLOG = 50;

    FaultServerSocket(int port) throws IOException {
        super(port, BACKLOG, InetAddress.getByName("127.0.0.1"));
    }

    @Override
    public Socket accept() throws IOException {
        Socket socket = new FaultSocket();
        implAccept(socket);
        return socket;
    }
}
