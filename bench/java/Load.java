import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * A load of known shape: PARKED threads parked DEPTH frames deep, BUSY threads that compute, for
 * SECONDS. Prints how many rounds the busy threads did.
 */
public class Load {
    private static volatile boolean done;
    private static final CountDownLatch parked = new CountDownLatch(1);

    private static void park(int depth, CountDownLatch ready) {
        if (depth > 1) {
            park(depth - 1, ready);
            return;
        }
        ready.countDown();
        while (!done) {
            LockSupport.park();
        }
    }

    private static long work(int depth, long seed) {
        if (depth > 1) {
            return work(depth - 1, seed * 6364136223846793005L + 1) ^ depth;
        }
        long x = seed;
        for (int i = 0; i < 2000; i++) {
            x = x * 2862933555777941757L + 3037000493L;
        }
        return x;
    }

    public static void main(String[] args) throws Exception {
        int parkedThreads = Integer.parseInt(args[0]);
        int depth = Integer.parseInt(args[1]);
        int busyThreads = Integer.parseInt(args[2]);
        long seconds = Long.parseLong(args[3]);
        CountDownLatch ready = new CountDownLatch(parkedThreads);
        Thread[] sleepers = new Thread[parkedThreads];
        for (int i = 0; i < parkedThreads; i++) {
            sleepers[i] = new Thread(() -> park(depth, ready), "parked-" + i);
            sleepers[i].setDaemon(true);
            sleepers[i].start();
        }
        ready.await();
        long[] rounds = new long[busyThreads];
        Thread[] workers = new Thread[busyThreads];
        for (int i = 0; i < busyThreads; i++) {
            int me = i;
            workers[i] = new Thread(() -> {
                long x = me;
                while (!done) {
                    x = work(20, x);
                    rounds[me]++;
                }
                if (x == 42) {
                    System.out.println();
                }
            }, "busy-" + i);
            workers[i].start();
        }
        Thread.sleep(seconds * 1000);
        done = true;
        long total = 0;
        for (int i = 0; i < busyThreads; i++) {
            workers[i].join();
            total += rounds[i];
        }
        System.out.println("rounds " + total);
    }
}
