/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.siege;

import java.math.BigInteger;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;

/** Does the work of the attacks, one after the other: searches sectors, rests between them, helps the others. */
public final class Soldier implements Runnable {
    /** Two processors carry four generals: a soldier rests longer than he works. */
    private static final long REST_MILLIS = 20;
    private static final long REST_MORE_MILLIS = 25;
    private static final long NEWS_MILLIS = 60;
    /** So many times without news or work; then what was lent, or lost with its general, is searched here. */
    private static final int IMPATIENCE = 6;

    private final int self;
    private final int generals;
    private final Reinforcements others;
    private final BlockingQueue<Siege> sieges = new LinkedBlockingQueue<>();

    public Soldier(int self, int generals, Reinforcements others) {
        this.self = self;
        this.generals = generals;
        this.others = others;
    }

    public void attack(Siege siege) {
        sieges.add(siege);
    }

    @Override
    public void run() {
        try {
            while (true) {
                fight(sieges.take());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void fight(Siege siege) throws InterruptedException {
        for (int idle = 0; !siege.isOver();) {
            Sector sector = find(siege);
            if (sector != null) {
                idle = 0;
                search(siege, sector);
                rest();
            } else {
                siege.awaitNews(NEWS_MILLIS);
                if (++idle % IMPATIENCE == 0) {
                    takeOver(siege);
                }
            }
        }
    }

    private Sector find(Siege siege) throws InterruptedException {
        Sector own = siege.next();
        return own != null ? own : others.borrow(siege);
    }

    private void search(Siege siege, Sector sector) throws InterruptedException {
        BigInteger factor = TrialDivision.search(siege.target(), sector);
        siege.searched();
        if (factor != null) {
            Breach breach = new Breach(siege.round(), siege.target(), factor, self);
            if (siege.fall(breach)) {
                others.announce(breach);
            }
        }
    }

    private void takeOver(Siege siege) {
        siege.reclaim();
        for (int general = 0; general < generals; general++) {
            if (others.isLost(general)) {
                siege.adopt(general);
            }
        }
    }

    private void rest() throws InterruptedException {
        Thread.sleep(REST_MILLIS + ThreadLocalRandom.current().nextLong(REST_MORE_MILLIS));
    }
}
