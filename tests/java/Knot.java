// SPDX-License-Identifier: Apache-2.0

/**
 * Two threads move money between two accounts for two seconds. Knot 1: first something else is unusual for
 * a second, and then one of them takes the accounts' locks in the other order.
 */
public class Knot {
    static final Object left = new Object(), right = new Object();
    static volatile boolean ends;
    static volatile long balance;

    static void pause(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void move(Object from, Object to, long hold) {
        synchronized (from) {
            pause(hold);
            synchronized (to) {
                balance++;
            }
        }
    }

    /** Uses the processor, as nothing else here does. */
    public static class Audit {
        static void sum() {
            for (long end = System.nanoTime() + 1_200_000_000L; System.nanoTime() < end; )
                balance++;
        }
    }

    static void work(boolean wrong) {
        long begin = System.nanoTime();
        boolean audited = !wrong;
        while (!ends) {
            long ms = (System.nanoTime() - begin) / 1_000_000;
            if (!audited && ms > 300) {
                Audit.sum();
                audited = true;
            }
            if (wrong && ms > 1800)
                move(right, left, 100);
            else
                move(left, right, ms > 1700 ? 100 : 1);
            pause(5);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        boolean wrong = args[0].equals("1");
        Thread[] movers = {new Thread(() -> work(wrong), "mover-1"), new Thread(() -> work(false), "mover-2")};
        for (Thread mover : movers) {
            mover.setDaemon(true);
            mover.start();
        }
        pause(2500);
        ends = true;
        for (Thread mover : movers)
            mover.join(1000);
        System.exit(movers[0].isAlive() ? 1 : 0);
    }
}
