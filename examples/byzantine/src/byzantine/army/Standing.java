/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.army;

import byzantine.siege.Siege;
import java.util.Set;
import java.util.TreeSet;

/** The board that tells how this general stands, and who of the others is lost. */
public final class Standing {
    private final Set<Integer> lost = new TreeSet<>();
    private boolean ready;
    private int round;
    private int searched;
    private Siege siege;

    public synchronized void markReady() {
        ready = true;
    }

    public synchronized void enter(int newRound) {
        round = newRound;
    }

    public synchronized void begin(Siege newSiege) {
        siege = newSiege;
    }

    /** The attack that is on, or was on last; null before the first. */
    public synchronized Siege siege() {
        return siege;
    }

    public synchronized void advance(int sectors) {
        searched += sectors;
    }

    /** Sectors searched in all attacks. */
    public synchronized int searched() {
        return searched;
    }

    /** What a ping is answered with. The siege is asked with this monitor held, never the other way round. */
    public synchronized Report report() {
        return new Report(ready, round, siege == null ? 0 : siege.left());
    }

    /** Returns whether this is news. */
    public synchronized boolean lose(int general) {
        return lost.add(general);
    }

    /** Returns whether he was lost. */
    public synchronized boolean regain(int general) {
        return lost.remove(general);
    }

    public synchronized boolean isLost(int general) {
        return lost.contains(general);
    }
}
