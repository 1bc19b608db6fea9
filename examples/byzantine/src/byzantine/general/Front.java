/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.general;

import byzantine.army.Allies;
import byzantine.army.Ally;
import byzantine.army.Army;
import byzantine.army.Standing;
import byzantine.army.UnreachableException;
import byzantine.siege.Breach;
import byzantine.siege.Reinforcements;
import byzantine.siege.Sector;
import byzantine.siege.Siege;
import common.Journal;
import java.math.BigInteger;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Where attacks happen: opens them, brings their news, and lets the soldier have sectors of other generals. */
final class Front implements Reinforcements {
    /** A request for a sector is not repeated: there are others to ask, and the soldier asks again. */
    private static final long ONCE = 0;

    private final Army army;
    private final Allies allies;
    private final Standing standing;
    private final Journal journal;
    private final Map<Integer, Breach> news = new HashMap<>();
    private Siege current;

    Front(Army army, Allies allies, Standing standing, Journal journal) {
        this.army = army;
        this.allies = allies;
        this.standing = standing;
        this.journal = journal;
    }

    /** Opens the attack of a round. It may be over at once, if others were quicker. */
    Siege open(int round, BigInteger target) {
        Siege siege = new Siege(round, target, army.size(), army.self(), standing::advance);
        standing.begin(siege);
        Breach early;
        synchronized (this) {
            current = siege;
            early = news.get(round);
        }
        if (early != null) {
            siege.fall(early);
        }
        return siege;
    }

    /** The attack of this round on this target, if that is the one that is on here; else null. */
    Siege siege(int round, BigInteger target) {
        Siege siege = current();
        return siege != null && siege.round() == round && siege.target().equals(target) ? siege : null;
    }

    /** Hears that a target has fallen, perhaps before the attack began here. */
    void hear(Breach breach) {
        if (!breach.isTrue()) {
            throw new IllegalArgumentException("not true: " + breach);
        }
        synchronized (this) {
            news.put(breach.round(), breach);
        }
        Siege siege = siege(breach.round(), breach.target());
        if (siege != null) {
            siege.fall(breach);
        }
    }

    private synchronized Siege current() {
        return current;
    }

    @Override
    public Sector borrow(Siege siege) throws InterruptedException {
        List<Ally> others = allies.all();
        Collections.shuffle(others);
        for (Ally ally : others) {
            Sector sector = standing.isLost(ally.number()) ? null : borrow(ally, siege);
            if (sector != null) {
                journal.count("borrowed", 1);
                return sector;
            }
        }
        return null;
    }

    private Sector borrow(Ally ally, Siege siege) throws InterruptedException {
        try {
            return ally.ask("relief", ONCE, general -> general.lend(siege.round(), siege.target()));
        } catch (UnreachableException e) {
            journal.event("relief", e.toString());
            return null;
        }
    }

    @Override
    public void announce(Breach breach) {
        allies.tellAll(breach.toString(), general -> general.hear(breach));
    }

    @Override
    public boolean isLost(int general) {
        return standing.isLost(general);
    }
}
