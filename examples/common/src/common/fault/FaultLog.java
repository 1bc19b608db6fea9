/* SPDX-License-Identifier: Apache-2.0 */
package common.fault;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The harness's record of what it injected into this machine: a line a fault: milliseconds since 1970, machine, kind
 * as in {@code run.sh --fault}, where, and what else there is to tell. The file is there, empty, in a normal run too.
 */
public final class FaultLog {
    private final PrintWriter out;
    private final String machine;

    public FaultLog(Path file, String machine) {
        this.machine = machine;
        try {
            out = new PrintWriter(Files.newBufferedWriter(file), true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    synchronized void injected(String kind, String where, String detail) {
        out.println(System.currentTimeMillis() + "\t" + machine + "\t" + kind + "\t" + where + "\t" + detail);
    }
}
