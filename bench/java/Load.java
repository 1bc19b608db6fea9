/* SPDX-License-Identifier: Apache-2.0 */
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

/**
 * A load of known shape: PARKED threads parked DEPTH frames deep, BUSY threads that compute; after
 * WARM_MS it runs for MEASURED_MS, and prints a line about that time: when it began and ended
 * (System.nanoTime), the rounds that the busy threads did, and the CPU time of the process in ns.
 * With PAIRS as a sixth argument: so many pairs of phases, each of MEASURED_MS.
 */
public class Load {
    /** Counters of different threads lie in different cache lines. */
    private static final int APART = 16;

    private static volatile boolean done;

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

    private static long round(AtomicLongArray rounds, int me, long x) {
        rounds.setOpaque(me * APART, rounds.getOpaque(me * APART) + 1);
        return work(20, x);
    }

    private static void compute(AtomicLongArray rounds, int me) {
        long x = me;
        while (!done) {
            x = round(rounds, me, x);
        }
        if (x == 42) {
            System.out.println();
        }
    }

    /** So that all is loaded and compiled before the cores are taken. */
    private static void warm() {
        AtomicLongArray rounds = new AtomicLongArray(APART);
        long end = System.nanoTime() + 300_000_000;
        long x = cpu() + sum(rounds);
        while (System.nanoTime() < end) {
            x = round(rounds, 0, x);
        }
        if (x == 42) {
            System.out.println();
        }
    }

    private static long sum(AtomicLongArray rounds) {
        long total = 0;
        for (int i = 0; i < rounds.length(); i += APART) {
            total += rounds.getOpaque(i);
        }
        return total;
    }

    private static long cpu() {
        return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
    }

    public static void main(String[] args) throws Exception {
        int parked = Integer.parseInt(args[0]);
        int depth = Integer.parseInt(args[1]);
        int busy = Integer.parseInt(args[2]);
        CountDownLatch ready = new CountDownLatch(parked);
        AtomicLongArray rounds = new AtomicLongArray(busy * APART);
        for (int i = 0; i < parked; i++) {
            Thread sleeper = new Thread(() -> park(depth, ready), "parked-" + i);
            sleeper.setDaemon(true);
            sleeper.start();
        }
        ready.await();
        warm();
        CountDownLatch go = new CountDownLatch(1); // a start among many that run takes long
        for (int i = 0; i < busy; i++) {
            int me = i;
            new Thread(() -> {
                try {
                    go.await();
                } catch (InterruptedException e) {
                    return;
                }
                compute(rounds, me);
            }, "busy-" + i).start();
        }
        go.countDown();
        Thread.sleep(Long.parseLong(args[3]));
        long millis = Long.parseLong(args[4]);
        if (args.length > 5) {
            Phases.run(Integer.parseInt(args[5]), () -> perRound(rounds, millis));
        } else {
            measure(rounds, millis);
        }
        done = true;
    }

    private static double perRound(AtomicLongArray rounds, long millis) throws Exception {
        long did = sum(rounds);
        long begin = System.nanoTime();
        Thread.sleep(millis);
        return (System.nanoTime() - begin) * 1e-9 / (sum(rounds) - did);
    }

    private static void measure(AtomicLongArray rounds, long millis) throws Exception {
        long cpu = cpu();
        long did = sum(rounds);
        long begin = System.nanoTime();
        Thread.sleep(millis);
        did = sum(rounds) - did;
        long end = System.nanoTime();
        System.out.printf("measured %d %d %d %d%n", begin, end, did, cpu() - cpu);
    }
}
