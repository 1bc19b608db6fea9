/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.general;

import byzantine.algorithm.Dispatch;
import byzantine.algorithm.OralMessages;
import byzantine.algorithm.Order;
import byzantine.algorithm.Path;
import byzantine.army.Allies;
import byzantine.army.Army;
import byzantine.army.Standing;
import byzantine.chronicle.Chronicle;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Agrees on the order of each round: sends what is to be sent, waits for what must come, and decides.
 *
 * <p>Messages come by RMI's threads ({@link #hear}), whenever they like; the campaign's thread does all else.
 */
final class Council {
    /** From the beginning of a round: so long the commander's order may take. */
    private static final long ORDER_MILLIS = 4000;
    /** So much longer each time it is relayed: the one who relays it may have waited himself. */
    private static final long RELAY_MILLIS = 1500;
    /** In the drill, in which all is done for the first time, everything may take so many times as long. */
    private static final long DRILL_FACTOR = 5;
    /** From the beginning of a stage: so long one is waited for who once said nothing in time. */
    private static final long SUSPECT_MILLIS = 500;
    /** So often others are asked what they said, with a pause between. */
    private static final int INQUIRIES = 3;
    private static final long DOUBT_MILLIS = 150;
    /** How often to look who is lost, for those are not waited for. */
    private static final long LOOK_MILLIS = 100;

    private final Army army;
    private final int traitors;
    private final Allies allies;
    private final Standing standing;
    private final Allegiance allegiance;
    private final Inquiry inquiry;
    private final Chronicle chronicle;
    private final Map<Integer, OralMessages> rounds = new HashMap<>();
    private final Map<Statement, Order> said = new HashMap<>();
    private final Set<Integer> suspects = new HashSet<>();

    Council(Army army, int traitors, Allies allies, Standing standing, Allegiance allegiance, Inquiry inquiry,
            Chronicle chronicle) {
        this.army = army;
        this.traitors = traitors;
        this.allies = allies;
        this.standing = standing;
        this.allegiance = allegiance;
        this.inquiry = inquiry;
        this.chronicle = chronicle;
    }

    /** Whether it is for this general to hear such a message. */
    boolean expects(Dispatch dispatch) {
        return army.self() != OralMessages.COMMANDER
                && new OralMessages(army.size(), traitors, army.self()).isOwed(dispatch.path());
    }

    /** Takes a message in; only the first by its path counts. */
    synchronized void hear(Dispatch dispatch) {
        if (messages(dispatch.round()).hear(dispatch.path(), dispatch.order())) {
            notifyAll();
        }
    }

    /** What was said to a general; null if nothing was. */
    synchronized Order said(Statement statement) {
        return said.get(statement);
    }

    /**
     * The commander's part: gives the order. He does what the majority of those who heard him will decide, which is the
     * order itself if he is loyal.
     */
    Order proclaim(int round, Order order) throws InterruptedException {
        chronicle.record("ordered", round, order);
        List<Order> words = new ArrayList<>();
        for (int general : army.others()) {
            Order word = say(round, Path.of(army.self()), general, order);
            words.add(word == null ? Order.RETREAT : word);
        }
        Order decision = OralMessages.majority(words);
        chronicle.record("decided", round, decision);
        return decision;
    }

    /** A lieutenant's part: OM(m), stage by stage. */
    Order deliberate(int round) throws InterruptedException {
        OralMessages messages = messages(round);
        long factor = round == Campaign.DRILL ? DRILL_FACTOR * 1_000_000 : 1_000_000;
        long end = System.nanoTime() + ORDER_MILLIS * factor;
        for (int stage = 1; stage <= messages.stages(); stage++) {
            await(messages, stage, end);
            if (stage < messages.stages()) {
                relay(round, messages, stage);
            }
            end += RELAY_MILLIS * factor;
        }
        clarify(round, messages);
        Order decision = decide(messages);
        chronicle.record("decided", round, decision);
        return decision;
    }

    private synchronized OralMessages messages(int round) {
        return rounds.computeIfAbsent(round, number -> new OralMessages(army.size(), traitors, army.self()));
    }

    private synchronized void await(OralMessages messages, int stage, long endNanos) throws InterruptedException {
        long patience = System.nanoTime() + SUSPECT_MILLIS * 1_000_000;
        while (mayCome(messages, stage, System.nanoTime() < patience)) {
            long millis = (endNanos - System.nanoTime()) / 1_000_000;
            if (millis <= 0) {
                return;
            }
            wait(Math.min(millis, LOOK_MILLIS));
        }
    }

    private boolean mayCome(OralMessages messages, int stage, boolean fromSuspects) {
        for (Path path : messages.missing(stage)) {
            if (!standing.isLost(path.last()) && (fromSuspects || !suspects.contains(path.last()))) {
                return true;
            }
        }
        return false;
    }

    /** Passes on what came at a stage, and the default order where nothing came, as the paper has it. */
    private void relay(int round, OralMessages messages, int stage) {
        for (Path path : messages.owed(stage)) {
            Order order;
            synchronized (this) {
                order = messages.at(path);
            }
            for (int general : messages.others(path)) {
                say(round, path.then(army.self()), general, order);
            }
        }
    }

    private Order say(int round, Path path, int to, Order truth) {
        Order word = allegiance.word(round, to, truth);
        if (word == null) {
            return null;
        }
        synchronized (this) {
            said.put(new Statement(round, path, to), word);
        }
        Dispatch dispatch = new Dispatch(round, path, word);
        chronicle.note("sent", round, path, to, word);
        allies.tell(to, dispatch.toString(), general -> general.deliver(dispatch));
        return word;
    }

    /**
     * When not everything came, or not all of it agrees: has it repeated, and takes the second statements. Those asked
     * may be in doubt themselves, so they get some time to find out.
     */
    private void clarify(int round, OralMessages messages) throws InterruptedException {
        suspect(round, messages);
        for (int inquiries = 0; inquiries < INQUIRIES && !isUnanimous(messages); inquiries++) {
            if (inquiries > 0) {
                Thread.sleep(DOUBT_MILLIS);
            }
            inquiry.hold(round, messages.owed()).forEach((path, order) -> correct(round, messages, path, order));
        }
    }

    private synchronized void suspect(int round, OralMessages messages) {
        for (int stage = 1; stage <= messages.stages(); stage++) {
            for (Path path : messages.missing(stage)) {
                suspects.add(path.last());
                chronicle.note("missed", round, path);
            }
        }
    }

    private synchronized boolean isUnanimous(OralMessages messages) {
        return messages.isUnanimous();
    }

    /** What was passed on changes, too, for those who ask. */
    private synchronized void correct(int round, OralMessages messages, Path path, Order order) {
        messages.correct(path, order);
        if (path.length() < messages.stages()) {
            for (int general : messages.others(path)) {
                said.computeIfPresent(new Statement(round, path.then(army.self()), general),
                        (statement, before) -> allegiance.word(round, general, order));
            }
        }
    }

    private synchronized Order decide(OralMessages messages) {
        return messages.decide();
    }
}
