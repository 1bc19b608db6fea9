/* SPDX-License-Identifier: Apache-2.0 */
package common.fault;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/** A socket's output, with the injector between the writer and the network. */
final class FaultOutputStream extends FilterOutputStream {
    FaultOutputStream(OutputStream out) {
        super(out);
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    /** Works on a copy: the buffer is the writer's, who may use it again. */
    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        byte[] copy = Arrays.copyOfRange(bytes, offset, offset + length);
        FaultInjector.installed().onWrite(copy, 0, length);
        out.write(copy, 0, length);
    }
}
