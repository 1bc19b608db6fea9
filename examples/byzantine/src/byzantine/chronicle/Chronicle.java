/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.chronicle;

import common.Settings;
import common.fault.Defect;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a general got, said, decided and did, in the order in which it happened. The thread "Scribe" writes it to {@code
 * chronicle-ROLE.txt}: milliseconds since 1970, what, the round, and what belongs to it, with tabs between.
 *
 * <p>A message counts as received when it has been written: only then does its sender hear that it arrived.
 */
public final class Chronicle {
    private final Scribe scribe;
    private final List<Entry> waiting = new ArrayList<>();
    private boolean idle;

    public Chronicle(Settings settings) throws IOException {
        scribe = new Scribe(this, settings.directory().resolve("chronicle-" + settings.slug() + ".txt"));
        Thread thread = new Thread(scribe, "Scribe");
        thread.setDaemon(true);
        thread.start();
    }

    /** Hands a line to the scribe and goes on. */
    public void note(String what, int round, Object... rest) {
        hand(entry(what, round, rest));
    }

    /** Hands a line to the scribe and waits until it is written. */
    public void record(String what, int round, Object... rest) throws InterruptedException {
        Entry entry = entry(what, round, rest);
        hand(entry);
        entry.awaitWritten();
    }

    private static Entry entry(String what, int round, Object... rest) {
        StringBuilder line = new StringBuilder();
        line.append(System.currentTimeMillis()).append('\t').append(what).append('\t').append(round);
        for (Object part : rest) {
            line.append('\t').append(part);
        }
        return new Entry(line.append('\n').toString());
    }

    /** Wakes the scribe for the first line only; he takes all that wait. */
    private synchronized void hand(Entry entry) {
        waiting.add(entry);
        if (idle && waiting.size() == 1 && !Defect.strikes("lost-wakeup", "chronicle")) {
            notifyAll();
        }
    }

    /** What waits to be written, at least one line. Only the scribe calls it. */
    synchronized List<Entry> take() throws InterruptedException {
        idle = true;
        while (waiting.isEmpty()) {
            wait();
        }
        idle = false;
        List<Entry> taken = new ArrayList<>(waiting);
        waiting.clear();
        return taken;
    }
}
