/* SPDX-License-Identifier: Apache-2.0 */
package common.fault;

import java.io.IOException;
import java.net.ServerSocket;
import java.rmi.server.RMIServerSocketFactory;

/** Makes the called side's server sockets. Remembers the port, because the registry does not tell a port chosen for it. */
public final class FaultServerSocketFactory implements RMIServerSocketFactory {
    private volatile int port;

    @Override
    public ServerSocket createServerSocket(int wanted) throws IOException {
        ServerSocket socket = new FaultServerSocket(wanted);
        port = socket.getLocalPort();
        return socket;
    }

    /** The port of the last server socket made here. */
    public int port() {
        return port;
    }
}
