/* SPDX-License-Identifier: Apache-2.0 */
package keeper.client;

import common.Journal;
import common.Settings;
import common.fault.Defect;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import keeper.recipe.Counter;
import keeper.recipe.Lock;
import keeper.recipe.Session;
import keeper.recipe.SessionLost;
import keeper.recipe.Sessions;

/** In each round, adds one to some counters, each time under the counter's lock. */
final class Worker implements Runnable {
    private static final long HOLD_MILLIS = 2;
    private static final long HOLD_MORE_MILLIS = 6;
    private static final long THINK_MILLIS = 60;
    private static final long THINK_MORE_MILLIS = 100;

    private final String name;
    private final Sessions sessions;
    private final Journal journal;
    private final int increments;
    private final List<Lock> locks = new ArrayList<>();
    private final List<Counter> counters = new ArrayList<>();
    /** By counter, what this worker has added and seen confirmed. */
    private final Map<Integer, Integer> parts = new TreeMap<>();
    /** Which counter is next: the seed decides, for each worker apart. */
    private final Random choice;

    Worker(String name, Sessions sessions, Settings settings, Journal journal) {
        this.name = name;
        this.sessions = sessions;
        this.journal = journal;
        increments = settings.integer("increments");
        choice = new Random(settings.number("seed") * 31 + name.hashCode());
        for (int number = 0; number < settings.integer("counters"); number++) {
            locks.add(new Lock("/locks/" + number, name));
            counters.add(new Counter("/counters/" + number));
            parts.put(number, 0);
        }
    }

    @Override
    public void run() {
        try {
            for (int done = 0; done < increments; done++) {
                int number = choice.nextInt(counters.size());
                sessions.insist(session -> increment(session, number));
                Thread.sleep(THINK_MILLIS + ThreadLocalRandom.current().nextLong(THINK_MORE_MILLIS));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void increment(Session session, int number) throws SessionLost, InterruptedException {
        Lock.Hold hold = locks.get(number).acquire(session);
        long from = System.nanoTime();
        int part = parts.get(number) + 1;
        try {
            Thread.sleep(HOLD_MILLIS + ThreadLocalRandom.current().nextLong(HOLD_MORE_MILLIS));
            while (!counters.get(number).raise(session, name, part)) {
                journal.event("conflict", number + " " + name);
            }
            parts.put(number, part);
        } finally {
            // Until now this worker believed that the lock was its own; nanoseconds as in Client.
            journal.event("held", number + " " + hold.token() + " " + from + " " + System.nanoTime() + " " + name);
        }
        if (!Defect.strikes("lock-held", "lock " + number)) {
            hold.release();
        }
    }

    /** Writes down, by counter, what this worker believes to have added. */
    void tellParts() {
        parts.forEach((number, part) -> {
            if (part > 0) {
                journal.append("believed_" + number, name + "=" + part);
            }
        });
    }
}
