/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.siege;

import common.fault.Defect;
import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * One general's part in one attack: the sectors that are left to search, and how the attack ended.
 *
 * <p>Sector k belongs to general k mod n at first. One who has searched his own is lent the others', and one whose
 * borrower does not come back searches a lent sector himself: what is searched twice does no harm.
 */
public final class Siege {
    /** Divisors in a sector: some milliseconds' work. A multiple of 6. */
    static final long WIDTH = 120_000;

    private final int round;
    private final BigInteger target;
    private final int generals;
    private final IntConsumer board;
    private final Deque<Sector> left;
    private final List<Sector> lent = new ArrayList<>();
    private final boolean[] adopted;
    private Breach breach;
    private boolean over;

    /**
     * @param generals n, how many share the work
     * @param self whose part this is
     * @param board is told of each sector that has been searched
     */
    public Siege(int round, BigInteger target, int generals, int self, IntConsumer board) {
        this.round = round;
        this.target = target;
        this.generals = generals;
        this.board = board;
        this.left = shareOf(self);
        this.adopted = new boolean[generals];
        adopted[self] = true;
    }

    private Deque<Sector> shareOf(int general) {
        Deque<Sector> share = new ArrayDeque<>();
        long bound = target.sqrt().longValueExact() + 1;
        for (long from = general * WIDTH; from < bound; from += generals * WIDTH) {
            share.add(new Sector(from, from + WIDTH));
        }
        return share;
    }

    public int round() {
        return round;
    }

    public BigInteger target() {
        return target;
    }

    /** The next sector to search; null when none is left here. */
    synchronized Sector next() {
        return left.poll();
    }

    /** A sector for another general; null unless there is more than the one that comes next. */
    public synchronized Sector lend() {
        if (over || left.size() < 2) {
            return null;
        }
        Sector sector = left.pollLast();
        lent.add(sector);
        return sector;
    }

    /** Takes back what was lent. */
    synchronized void reclaim() {
        left.addAll(lent);
        lent.clear();
    }

    /** Takes on the share of a general who is lost; once. */
    synchronized void adopt(int general) {
        if (!adopted[general]) {
            adopted[general] = true;
            left.addAll(shareOf(general));
        }
    }

    /**
     * Reports a searched sector to the board, in no case with the monitor held: whoever reads the board asks here, with
     * the board's monitor held, how much is left.
     */
    void searched() throws InterruptedException {
        long tangled = Defect.millis("deadlock", "siege");
        if (tangled == 0) {
            board.accept(1);
            return;
        }
        synchronized (this) {
            Thread.sleep(tangled);
            board.accept(1);
        }
    }

    public synchronized int left() {
        return left.size();
    }

    /** Ends the attack; news of another attack, or news that is not true, changes nothing. */
    public synchronized boolean fall(Breach news) {
        if (!target.equals(news.target()) || !news.isTrue()) {
            return false;
        }
        if (breach == null) {
            breach = news;
        }
        over = true;
        notifyAll();
        return true;
    }

    synchronized boolean isOver() {
        return over;
    }

    /** Waits for the news for some time at most. */
    synchronized void awaitNews(long millis) throws InterruptedException {
        if (!over) {
            wait(millis);
        }
    }

    /** Waits for the end of the attack; null if the target has not fallen by then. The attack is over in any case. */
    public synchronized Breach awaitEnd(long millis) throws InterruptedException {
        long end = System.nanoTime() + millis * 1_000_000;
        for (long rest = millis; !over && rest > 0; rest = (end - System.nanoTime()) / 1_000_000) {
            wait(rest);
        }
        over = true;
        notifyAll();
        return breach;
    }
}
