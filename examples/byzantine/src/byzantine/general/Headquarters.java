/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.general;

import byzantine.algorithm.Dispatch;
import byzantine.algorithm.Order;
import byzantine.algorithm.Path;
import byzantine.army.Army;
import byzantine.army.General;
import byzantine.army.Report;
import byzantine.army.Standing;
import byzantine.chronicle.Chronicle;
import byzantine.siege.Breach;
import byzantine.siege.Sector;
import byzantine.siege.Siege;
import java.math.BigInteger;

/**
 * The general as the others call him: all of it runs on RMI's threads. What cannot be meant, because it was damaged on
 * its way, is answered with an exception, and so said again.
 */
final class Headquarters implements General {
    private final Army army;
    private final Council council;
    private final Front front;
    private final Standing standing;
    private final Chronicle chronicle;

    Headquarters(Army army, Council council, Front front, Standing standing, Chronicle chronicle) {
        this.army = army;
        this.council = council;
        this.front = front;
        this.standing = standing;
        this.chronicle = chronicle;
    }

    @Override
    public void deliver(Dispatch dispatch) {
        if (!council.expects(dispatch)) {
            throw new IllegalArgumentException("not for " + Army.name(army.self()) + ": " + dispatch);
        }
        write(dispatch);
        council.hear(dispatch);
    }

    private void write(Dispatch dispatch) {
        try {
            chronicle.record("got", dispatch.round(), dispatch.path(), dispatch.order());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted before it was written down", e);
        }
    }

    @Override
    public Order repeat(int round, Path path, int to) {
        return council.said(new Statement(round, path, to));
    }

    @Override
    public Report ping(int from) {
        if (!army.has(from)) {
            throw new IllegalArgumentException("no general " + from);
        }
        return standing.report();
    }

    @Override
    public Sector lend(int round, BigInteger target) {
        Siege siege = front.siege(round, target);
        return siege == null ? null : siege.lend();
    }

    @Override
    public void hear(Breach breach) {
        front.hear(breach);
    }
}
