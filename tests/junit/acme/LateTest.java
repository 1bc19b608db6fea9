// SPDX-License-Identifier: Apache-2.0
package acme;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/** Threads that work all the time. In one repetition one of them waits for two seconds, and passes all the same. */
class LateTest {
    static final int LATE = 6;
    private final Object lock = new Object();

    static void step() throws InterruptedException {
        Thread.sleep(20);
    }

    void late() throws InterruptedException {
        synchronized (lock) {
            lock.wait(2000);
        }
    }

    Void work(boolean late) throws InterruptedException {
        for (int i = 0; i < 30; i++) {
            step();
            if (late && i == 12)
                late();
        }
        return null;
    }

    @RepeatedTest(8)
    void works(RepetitionInfo repetition) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        Future<Void> other = pool.submit(() -> work(false));
        pool.submit(() -> work(repetition.getCurrentRepetition() == LATE)).get();
        other.get();
        pool.shutdown();
    }
}
