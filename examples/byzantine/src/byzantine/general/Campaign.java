/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.general;

import byzantine.algorithm.OralMessages;
import byzantine.algorithm.Order;
import byzantine.army.Allies;
import byzantine.army.Army;
import byzantine.army.Muster;
import byzantine.army.Rmi;
import byzantine.army.Sentry;
import byzantine.army.Standing;
import byzantine.chronicle.Chronicle;
import byzantine.siege.Breach;
import byzantine.siege.Siege;
import byzantine.siege.Soldier;
import common.Journal;
import common.Settings;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;

/** One general's war: the parts that he is made of, and the rounds from the muster to the retreat. */
final class Campaign {
    /** A round in which all practise what they say in the others; nothing is done about what they decide. */
    static final int DRILL = 0;
    /** An attack that takes so long has failed; usually it is over in less than a second. */
    private static final long ATTACK_MILLIS = 8000;
    /** The commander thinks for a moment before each order. */
    private static final long THINK_MILLIS = 120;
    private static final long THINK_MORE_MILLIS = 160;
    private static final long LAST_ERRANDS_MILLIS = 2000;

    private final Army army;
    private final Path directory;
    private final Journal journal;
    private final Chronicle chronicle;
    private final Standing standing = new Standing();
    private final Plan plan;
    private final Allies allies;
    private final Council council;
    private final Front front;
    private final Muster muster;
    private final Soldier soldier;
    /** Held here, for RMI alone would not keep it from being collected. */
    private final Headquarters headquarters;

    Campaign(Settings settings, Journal journal) throws IOException {
        this.journal = journal;
        army = Army.of(settings.integer("generals"), settings.role());
        directory = settings.directory();
        chronicle = new Chronicle(settings);
        plan = new Plan(settings.integer("attacks"), settings.number("seed"));
        allies = new Allies(army, directory, journal);
        council = new Council(army, settings.integer("traitors"), allies, standing,
                new Allegiance(army, settings.number("seed")),
                new Inquiry(army, allies, standing, chronicle, journal), chronicle);
        front = new Front(army, allies, standing, journal);
        muster = new Muster(army, allies, standing, journal);
        soldier = new Soldier(army.self(), army.size(), front);
        headquarters = new Headquarters(army, council, front, standing, chronicle);
    }

    void run() throws IOException, InterruptedException {
        allies.start();
        muster.appear(directory, Rmi.publish(headquarters));
        muster.gather();
        start("Sentry", new Sentry(army, allies, standing, journal));
        start("Soldier", soldier);
        drill();
        journal.event("mustered", Army.name(army.self()));
        if (commands()) {
            Journal.writeWhole(directory.resolve("mustered"), "");
        }
        int round = 1;
        while (fight(round)) {
            round++;
        }
        allies.awaitHeralds(LAST_ERRANDS_MILLIS);
        journal.put("rounds", Integer.toString(round));
        journal.put("searched", Integer.toString(standing.searched()));
    }

    private void drill() throws InterruptedException {
        if (commands()) {
            council.proclaim(DRILL, Order.RETREAT);
        } else {
            council.deliberate(DRILL);
        }
        standing.enter(DRILL + 1);
        muster.awaitRound(DRILL + 1);
    }

    private static void start(String name, Runnable part) {
        Thread thread = new Thread(part, name);
        thread.setDaemon(true);
        thread.start();
    }

    private boolean commands() {
        return army.self() == OralMessages.COMMANDER;
    }

    /** One round; returns whether there is another. */
    private boolean fight(int round) throws InterruptedException {
        standing.enter(round);
        Order decision = commands() ? command(round) : council.deliberate(round);
        if (decision.isAttack()) {
            attack(round, decision.target());
        } else {
            chronicle.record("did", round, "retreat");
        }
        return decision.isAttack();
    }

    private Order command(int round) throws InterruptedException {
        Thread.sleep(THINK_MILLIS + ThreadLocalRandom.current().nextLong(THINK_MORE_MILLIS));
        return council.proclaim(round, plan.order(round));
    }

    private void attack(int round, BigInteger target) throws InterruptedException {
        Siege siege = front.open(round, target);
        soldier.attack(siege);
        Breach breach = siege.awaitEnd(ATTACK_MILLIS);
        if (breach == null) {
            chronicle.record("did", round, "attack " + target, "repulsed");
        } else {
            chronicle.record("did", round, "attack " + target, "factor " + breach.factor(), breach.finder());
        }
    }
}
