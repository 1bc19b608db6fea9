/* SPDX-License-Identifier: Apache-2.0 */
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/**
 * A test that fails now and then: two threads count to ROUNDS each, in one variable and without a lock. Ends
 * with status 1 if a count was lost: Race SEED ROUNDS WINDOW. How long a thread pauses before each count, 20
 * ms on average, follows from SEED; between reading the variable and writing it there are WINDOW ns.
 */
public class Race {
    private static final int PAUSE_MAX = 40_000_000; // ns

    private static volatile long sum;

    public static void main(String[] args) throws InterruptedException {
        final Random random = new Random(Long.parseLong(args[0]));
        final int rounds = Integer.parseInt(args[1]);
        final long window = Long.parseLong(args[2]);
        final Thread[] threads = new Thread[2];
        for (int i = 0; i < threads.length; i++) {
            final long seed = random.nextLong();
            threads[i] = new Thread(() -> count(new Random(seed), rounds, window), "counter " + i);
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.exit(sum == (long) threads.length * rounds ? 0 : 1);
    }

    private static void count(Random random, int rounds, long window) {
        for (int i = 0; i < rounds; i++) {
            LockSupport.parkNanos(random.nextInt(PAUSE_MAX));
            final long read = sum;
            final long begin = System.nanoTime();
            while (System.nanoTime() - begin < window) {
                Thread.onSpinWait();
            }
            sum = read + 1;
        }
    }
}
