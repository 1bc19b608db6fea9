/* SPDX-License-Identifier: Apache-2.0 */
package common.fault;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;

/** A socket whose reads and writes pass the injector. */
final class FaultSocket extends Socket {
    /** Not connected yet; for a server socket to accept into. */
    FaultSocket() {
    }

    FaultSocket(String host, int port) throws IOException {
        super(host, port);
    }

    @Override
    public InputStream getInputStream() throws IOException {
        return new FaultInputStream(super.getInputStream());
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
        return new FaultOutputStream(super.getOutputStream());
    }
}
