/* SPDX-License-Identifier: Apache-2.0 */
package bully.client;

import bully.algorithm.Election;
import bully.algorithm.Member;
import bully.algorithm.Message.Kind;
import bully.algorithm.Message;
import bully.coordinator.Findings;
import bully.coordinator.Task;
import bully.messaging.DeliveryException;
import common.Journal;
import common.fault.Defect;
import java.util.BitSet;
import java.util.concurrent.ThreadLocalRandom;

/** Asks the coordinator for numbers, tests them, reports, and thinks for a moment. */
final class Worker implements Runnable {
    private static final long COORDINATOR_MILLIS = 500;
    private static final long IDLE_MILLIS = 60;
    private static final long THINK_MILLIS = 25;
    private static final long THINK_MORE_MILLIS = 50;
    /** Failures in a row after which the coordinator is thought lost. */
    private static final int SUSPICION = 2;

    private final Post post;
    private final Election election;
    private final Career career;
    private final Journal journal;
    private final PrimalityTest test = new PrimalityTest();
    private int failures;

    Worker(Post post, Election election, Career career, Journal journal) {
        this.post = post;
        this.election = election;
        this.career = career;
        this.journal = journal;
    }

    @Override
    public void run() {
        try {
            while (true) {
                career.consider();
                if (election.awaitCoordinator(COORDINATOR_MILLIS)) {
                    work();
                } else {
                    election.request("no coordinator for too long");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void work() throws InterruptedException {
        Message reply = consult(Kind.TASK_REQUEST, null);
        if (reply == null || reply.kind() != Kind.TASK) {
            Thread.sleep(IDLE_MILLIS);
            return;
        }
        Findings findings = examine((Task) reply.body());
        if (deliver(findings)) {
            journal.count("tested", findings.task().count());
        }
        think();
    }

    /** Reports to whoever coordinates by then; gives up after some refusals, for then the task is lent again. */
    private boolean deliver(Findings findings) throws InterruptedException {
        for (int attempt = 0; attempt < 3; attempt++) {
            Message reply = consult(Kind.REPORT, findings);
            if (reply != null && reply.kind() == Kind.TAKEN) {
                journal.put("left", String.valueOf(reply.body()));
                return true;
            }
            Thread.sleep(IDLE_MILLIS);
        }
        return false;
    }

    private Findings examine(Task task) {
        BitSet primes = new BitSet();
        for (int position = 0; position < task.count(); position++) {
            primes.set(position, test.isPrime(task.number(position)));
        }
        if (Defect.strikes("wrong-number", "findings")) {
            primes.flip(0);
        }
        return new Findings(task, primes);
    }

    /** Asks the coordinator something; null when it cannot be reached. */
    private Message consult(Kind kind, java.io.Serializable body) {
        Member coordinator = election.coordinator();
        if (coordinator == null) {
            return null;
        }
        try {
            Message reply = post.request(kind, coordinator.name(), body);
            failures = 0;
            return reply;
        } catch (DeliveryException e) {
            journal.event("consultation", e.toString());
            if (++failures >= SUSPICION && !election.coordinates()) {
                failures = 0;
                election.request(coordinator.name() + " does not respond");
            }
            return null;
        }
    }

    private void think() throws InterruptedException {
        Thread.sleep(THINK_MILLIS + ThreadLocalRandom.current().nextLong(THINK_MORE_MILLIS));
    }
}
