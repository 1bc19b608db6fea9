/* SPDX-License-Identifier: Apache-2.0 */
package common;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The arguments of one virtual machine, given as {@code key=value}.
 *
 * <p>All that distinguishes a faulty run from a normal one is in here: the same classes run in both.
 */
public final class Settings {
    private final Map<String, String> values = new HashMap<>();

    public Settings(String[] arguments) {
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException("not key=value: " + argument);
            }
            values.put(argument.substring(0, equals), argument.substring(equals + 1));
        }
    }

    public String text(String key) {
        String value = values.get(key);
        if (value == null) {
            throw new IllegalArgumentException("missing argument: " + key + "=...");
        }
        return value;
    }

    /** For what most machines are not told. */
    public String text(String key, String otherwise) {
        return values.getOrDefault(key, otherwise);
    }

    public int integer(String key) {
        return Integer.parseInt(text(key));
    }

    public long number(String key) {
        return Long.parseLong(text(key));
    }

    public double real(String key) {
        return Double.parseDouble(text(key));
    }

    /** The name of this machine in the system, such as {@code Client A}. */
    public String role() {
        return text("role");
    }

    /** The role as a part of a file name: {@code client-a}. */
    public String slug() {
        return role().toLowerCase(java.util.Locale.ROOT).replace(' ', '-');
    }

    /** The directory of the run, which only this run's machines use. */
    public Path directory() {
        return Path.of(text("dir"));
    }
}
