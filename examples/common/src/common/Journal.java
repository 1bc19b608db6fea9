/* SPDX-License-Identifier: Apache-2.0 */
package common;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.TreeMap;

/**
 * What one machine says about itself: a log of events as they happen, and a state that is written at the end.
 *
 * <p>Injected faults are not in here; the system does not know them. See {@link common.fault.FaultLog}.
 */
public final class Journal {
    private final PrintWriter log;
    private final Path stateFile;
    private final Map<String, String> state = new TreeMap<>();

    public Journal(Settings settings) {
        stateFile = settings.directory().resolve("state-" + settings.slug() + ".txt");
        try {
            log = new PrintWriter(
                    Files.newBufferedWriter(settings.directory().resolve("log-" + settings.slug() + ".txt")), true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        put("role", settings.role());
        event("start", settings.role());
    }

    /** Logs an event: milliseconds since 1970, what, and whom or what it concerns. */
    public synchronized void event(String what, String about) {
        log.println(System.currentTimeMillis() + "\t" + what + "\t" + about.replaceAll("\\s+", " "));
    }

    public synchronized void put(String key, String value) {
        state.put(key, value);
    }

    /** Adds to a comma-separated list in the state. */
    public synchronized void append(String key, String value) {
        state.merge(key, value, (before, added) -> before + "," + added);
    }

    public synchronized void count(String key, int more) {
        state.merge(key, Integer.toString(more),
                (before, added) -> Integer.toString(Integer.parseInt(before) + more));
    }

    /** Writes the state; a reader sees the whole file or none. */
    public synchronized void writeState(String end) {
        state.put("end", end.replaceAll("\\s+", " "));
        event("end", end);
        StringBuilder text = new StringBuilder();
        state.forEach((key, value) -> text.append(key).append('=').append(value).append('\n'));
        writeWhole(stateFile, text.toString());
    }

    /** Writes a file under another name first, so that a reader never sees half of it. */
    public static void writeWhole(Path file, String text) {
        Path half = file.resolveSibling(file.getFileName() + ".part");
        try {
            Files.writeString(half, text);
            Files.move(half, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
