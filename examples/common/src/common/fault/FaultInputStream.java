/* SPDX-License-Identifier: Apache-2.0 */
package common.fault;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** A socket's input, with the injector between the network and the reader. */
final class FaultInputStream extends FilterInputStream {
    FaultInputStream(InputStream in) {
        super(in);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        int count = in.read(bytes, offset, length);
        if (count > 0) {
            FaultInjector.installed().onRead(bytes, offset, count);
        }
        return count;
    }
}
