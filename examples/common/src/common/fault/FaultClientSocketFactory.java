/* SPDX-License-Identifier: Apache-2.0 */
package common.fault;

import java.io.IOException;
import java.io.Serializable;
import java.net.Socket;
import java.rmi.server.RMIClientSocketFactory;

/** Makes the calling side's sockets. Travels within stubs; all instances are equal, so that RMI shares connections. */
public final class FaultClientSocketFactory implements RMIClientSocketFactory, Serializable {
    private static final long serialVersionUID = 1;

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return new FaultSocket(host, port);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FaultClientSocketFactory;
    }

    @Override
    public int hashCode() {
        return FaultClientSocketFactory.class.hashCode();
    }
}
