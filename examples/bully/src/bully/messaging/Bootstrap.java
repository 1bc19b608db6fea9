/* SPDX-License-Identifier: Apache-2.0 */
package bully.messaging;

import common.Journal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** How clients learn the port of the registry: from a file in the directory of the run. */
final class Bootstrap {
    private static final long PATIENCE_MILLIS = 30_000;
    private static final long POLL_MILLIS = 40;

    private final Path file;

    Bootstrap(Path directory) {
        file = directory.resolve("registry.port");
    }

    void write(int port) {
        Journal.writeWhole(file, port + "\n");
    }

    int await() throws IOException, InterruptedException {
        for (long waited = 0; !Files.exists(file); waited += POLL_MILLIS) {
            if (waited > PATIENCE_MILLIS) {
                throw new IOException("the message server did not write " + file);
            }
            Thread.sleep(POLL_MILLIS);
        }
        return Integer.parseInt(Files.readString(file).trim());
    }
}
