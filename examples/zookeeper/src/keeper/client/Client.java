/* SPDX-License-Identifier: Apache-2.0 */
package keeper.client;

import common.Journal;
import common.Settings;
import java.util.ArrayList;
import java.util.List;
import keeper.recipe.Barrier;
import keeper.recipe.Counter;
import keeper.recipe.Membership;
import keeper.recipe.Session;
import keeper.recipe.SessionLost;
import keeper.recipe.Sessions;

/** Goes through its rounds together with the other clients, then reads what all of them have counted. */
final class Client {
    private static final int WORKERS = 2;

    private final Settings settings;
    private final Journal journal;
    private final Sessions sessions;
    private final List<Worker> workers = new ArrayList<>();
    private final int counters;
    /** A, B or C. */
    private final String name;

    Client(Settings settings, Journal journal) {
        this.settings = settings;
        this.journal = journal;
        sessions = new Sessions(settings.text("servers"), settings.integer("session"), journal);
        counters = settings.integer("counters");
        name = settings.role().substring(settings.role().length() - 1);
        for (int number = 1; number <= WORKERS; number++) {
            workers.add(new Worker(name + number, sessions, settings, journal));
        }
    }

    void run() throws InterruptedException {
        sessions.insist(this::makePaths);
        Thread presence = new Thread(new Presence(sessions, new Membership("/members", name), journal), "Presence");
        presence.start();
        for (int round = 1; round <= settings.integer("rounds"); round++) {
            Barrier barrier = new Barrier("/barriers/" + round, name, settings.integer("clients"));
            cross(round + "-in", barrier::enter);
            if (round == 1) {
                Journal.writeWhole(settings.directory().resolve("working-" + settings.slug()), "");
            }
            work();
            cross(round + "-out", barrier::leave);
        }
        for (Worker worker : workers) {
            worker.tellParts();
        }
        sessions.insist(this::tellCounters);
        // Before the session ends, or it would take that for a loss.
        presence.interrupt();
        presence.join();
        journal.put("slowest", Long.toString(sessions.slowestMillis()));
        sessions.close();
    }

    private void makePaths(Session session) throws SessionLost, InterruptedException {
        for (String path : List.of("/members", "/barriers", "/counters", "/locks")) {
            session.makePresent(path, "");
        }
        for (int number = 0; number < counters; number++) {
            session.makePresent("/counters/" + number, "");
            session.makePresent("/locks/" + number, "");
        }
    }

    /** Nanoseconds are those of the host's clock, which all its machines share. */
    private void cross(String side, Sessions.Step step) throws InterruptedException {
        long come = System.nanoTime();
        sessions.insist(step);
        journal.event("barrier", side + " " + come + " " + System.nanoTime());
    }

    private void work() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (Worker worker : workers) {
            threads.add(new Thread(worker, "Worker " + (threads.size() + 1)));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void tellCounters(Session session) throws SessionLost, InterruptedException {
        for (int number = 0; number < counters; number++) {
            journal.put("counter_" + number, new Counter("/counters/" + number).read(session));
        }
    }
}
