/* SPDX-License-Identifier: Apache-2.0 */
package shop.base;

import common.Settings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Conditions that the arguments of this machine can turn on: {@code switch=NAME}; {@code
 * switch-from=N}: the program asks N times before the answer is yes.
 *
 * <p>The program asks in every run, so the same classes run whether a switch is on or not. Only
 * the first yes is logged, in the harness's log, because some places ask often.
 */
public final class Switches {
    private static volatile Switches installed = new Switches("none", 0, "", null);

    private final String name;
    private final int from;
    private final String machine;
    private final Path log;
    private final AtomicInteger asked = new AtomicInteger();

    private Switches(String name, int from, String machine, Path log) {
        this.name = name;
        this.from = from;
        this.machine = machine;
        this.log = log;
    }

    static void install(Settings settings) {
        installed = new Switches(settings.text("switch", "none"), Integer.parseInt(settings.text("switch-from", "0")),
                settings.role(), settings.directory().resolve("faults-" + settings.slug() + ".log"));
    }

    /** Whether this condition holds here and now. */
    public static boolean on(String condition) {
        Switches switches = installed;
        return switches.name.equals(condition) && switches.holds();
    }

    private boolean holds() {
        int time = asked.getAndIncrement();
        if (time == from) {
            note();
        }
        return time >= from;
    }

    /** A line of the harness's log, see examples/common/README.md. */
    private void note() {
        String line = String.join("\t", Long.toString(System.currentTimeMillis()), machine, name,
                Thread.currentThread().getName(), "time " + from) + "\n";
        try {
            Files.writeString(log, line);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
