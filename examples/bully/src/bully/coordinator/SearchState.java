/* SPDX-License-Identifier: Apache-2.0 */
package bully.coordinator;

import java.io.Serializable;
import java.util.BitSet;

/**
 * The search space and the results so far. Each client has a copy; the coordinator's is the one that counts.
 *
 * <p>Copies are merged by union: a result, once known, is never taken back, so the order in which copies arrive does
 * not matter.
 */
public final class SearchState implements Serializable {
    /** The first number. Near 10^14 a proof by trial division costs some ten milliseconds. */
    public static final long FIRST = 100_000_000_000_001L;
    private static final int TASK_SIZE = 6;
    private static final long serialVersionUID = 1;

    private final int numbers;
    private final BitSet done = new BitSet();
    private final BitSet primes = new BitSet();

    public SearchState(int numbers) {
        this.numbers = numbers;
    }

    public int tasks() {
        return (numbers + TASK_SIZE - 1) / TASK_SIZE;
    }

    public Task task(int index) {
        int start = index * TASK_SIZE;
        return new Task(index, FIRST + 2L * start, Math.min(TASK_SIZE, numbers - start));
    }

    public synchronized boolean isDone(Task task) {
        return done.nextClearBit(task.index() * TASK_SIZE) >= task.index() * TASK_SIZE + task.count();
    }

    /** Takes findings in; false if they are for no task of this search. */
    public synchronized boolean record(Findings findings) {
        Task task = findings.task();
        if (task.index() < 0 || task.index() >= tasks() || !task.equals(task(task.index()))) {
            return false;
        }
        int start = task.index() * TASK_SIZE;
        for (int position = 0; position < task.count(); position++) {
            done.set(start + position);
            if (findings.primes().get(position)) {
                primes.set(start + position);
            }
        }
        return true;
    }

    /** Adds what another copy knows; false if that is a copy of another search. */
    public boolean merge(SearchState other) {
        SearchState theirs = other.copy();
        if (theirs.numbers != numbers || theirs.done.length() > numbers) {
            return false;
        }
        synchronized (this) {
            done.or(theirs.done);
            primes.or(theirs.primes);
        }
        return true;
    }

    /** A copy that does not change while it is sent. */
    public synchronized SearchState copy() {
        SearchState copy = new SearchState(numbers);
        copy.done.or(done);
        copy.primes.or(primes);
        return copy;
    }

    public synchronized int left() {
        return numbers - done.cardinality();
    }

    /** A line a number that was tested: the number, a space, {@code prime} or {@code composite}. */
    public synchronized String listing() {
        StringBuilder text = new StringBuilder();
        for (int index = done.nextSetBit(0); index >= 0; index = done.nextSetBit(index + 1)) {
            text.append(FIRST + 2L * index).append(primes.get(index) ? " prime\n" : " composite\n");
        }
        return text.toString();
    }
}
