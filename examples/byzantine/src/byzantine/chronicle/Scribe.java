/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.chronicle;

import common.fault.Defect;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes a general's chronicle, line by line, and says of each line when it is in the file. */
final class Scribe implements Runnable {
    private final Chronicle chronicle;
    private final BufferedWriter file;

    Scribe(Chronicle chronicle, Path path) throws IOException {
        this.chronicle = chronicle;
        this.file = Files.newBufferedWriter(path);
    }

    @Override
    public void run() {
        try {
            while (true) {
                for (Entry entry : chronicle.take()) {
                    write(entry);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void write(Entry entry) throws IOException, InterruptedException {
        Thread.sleep(Defect.millis("slow", "scribe"));
        file.write(entry.line());
        file.flush();
        entry.markWritten();
    }
}
