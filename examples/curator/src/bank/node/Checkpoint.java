/* SPDX-License-Identifier: Apache-2.0 */
package bank.node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes the node's book to a file at times, while nothing is booked. */
final class Checkpoint implements Runnable {
    static final long EVERY_MILLIS = 150;

    private final Gate gate;
    private final Book book;
    private final Path file;
    private final Profile profile;

    Checkpoint(Gate gate, Book book, Path file, Profile profile) {
        this.gate = gate;
        this.book = book;
        this.file = file;
        this.profile = profile;
    }

    @Override
    public void run() {
        try {
            gate.close(profile.has("node-stop"));
            try {
                Files.writeString(file, book.digest().toString());
            } finally {
                gate.open();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
