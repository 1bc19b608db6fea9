/* SPDX-License-Identifier: Apache-2.0 */
package bank.node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * How one node deviates from the others, as the properties of the JVM say; most do not.
 *
 * <p>The same classes run in all nodes, and the places where a node can deviate ask in each run.
 * {@code bank.trait=KIND@NODE,...} names a kind and the nodes, {@code bank.after} the
 * milliseconds after the start of the work from which on it shows. The first time in each node
 * becomes a line of {@code faults-cluster.log}.
 */
public final class Profile {
    private static volatile long begin = Long.MAX_VALUE;

    private final int node;
    private final String trait;
    private final long afterNanos = Long.getLong("bank.after", 0) * 1_000_000;
    private final AtomicBoolean shown = new AtomicBoolean();

    public Profile(int node) {
        this.node = node;
        String[] named = System.getProperty("bank.trait", "none@0").split("@");
        trait = List.of(named[1].split(",")).contains(Integer.toString(node)) ? named[0] : "none";
    }

    /** From here on time counts. */
    public static void beginWork() {
        begin = System.nanoTime();
    }

    /** Whether this node has this trait by now. */
    boolean has(String kind) {
        if (!due(kind)) {
            return false;
        }
        if (shown.compareAndSet(false, true)) {
            note();
        }
        return true;
    }

    /** The same, but true only once. */
    boolean once(String kind) {
        if (!due(kind) || !shown.compareAndSet(false, true)) {
            return false;
        }
        note();
        return true;
    }

    private boolean due(String kind) {
        return trait.equals(kind) && begin != Long.MAX_VALUE && System.nanoTime() - begin >= afterNanos;
    }

    private void note() {
        String line = System.currentTimeMillis() + "\tCluster\t" + trait + "\tNode-" + node + "\t"
                + Thread.currentThread().getName() + "\n";
        try {
            Files.writeString(Path.of(System.getProperty("bank.dir"), "faults-cluster.log"), line,
                    StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
