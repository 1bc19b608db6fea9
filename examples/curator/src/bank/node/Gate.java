/* SPDX-License-Identifier: Apache-2.0 */
package bank.node;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Open for bookings, or closed for a checkpoint. */
final class Gate {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean closed;
    private int waiting;
    private int inside;

    void enter() throws InterruptedException {
        lock.lock();
        try {
            waiting++;
            while (closed) {
                changed.await();
            }
            waiting--;
            inside++;
        } finally {
            lock.unlock();
        }
    }

    void leave() {
        lock.lock();
        try {
            inside--;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Closes it and waits until nothing is inside; with {@code all}, also for those that wait. */
    void close(boolean all) throws InterruptedException {
        lock.lock();
        try {
            closed = true;
            while (inside > 0 || all && waiting > 0) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    void open() {
        lock.lock();
        try {
            closed = false;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
