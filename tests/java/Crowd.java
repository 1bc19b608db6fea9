/* SPDX-License-Identifier: Apache-2.0 */
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Crowd LIVE STARTERS MILLISECONDS: so many threads that stay, at different depths, and so many that
 * start short-lived ones as fast as they can, for so long at least, and until the input ends. Prints
 * "N short threads a second".
 */
public class Crowd {
    static volatile boolean done;
    static final AtomicLong started = new AtomicLong();

    static void stay(int depth) {
        if (depth > 0) {
            stay(depth - 1);
        }
        while (!done) {
            LockSupport.park();
        }
    }

    static void brief() {
        started.incrementAndGet();
    }

    static void startOthers() {
        try {
            Thread[] last = new Thread[8];
            for (int i = 0; !done; i = (i + 1) % last.length) {
                if (last[i] != null) {
                    last[i].join();
                }
                last[i] = new Thread(null, Crowd::brief, "brief", 1 << 16);
                last[i].start();
            }
            for (Thread thread : last) {
                if (thread != null) {
                    thread.join();
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        List<Thread> all = new ArrayList<>();
        for (int i = Integer.parseInt(args[0]); i > 0; i--) {
            int depth = i % 20;
            all.add(new Thread(null, () -> stay(depth), "stays-" + i, 1 << 16));
        }
        for (int i = Integer.parseInt(args[1]); i > 0; i--) {
            all.add(new Thread(Crowd::startOthers, "starter-" + i));
        }
        for (Thread thread : all) {
            thread.start();
        }
        long before = System.nanoTime(), already = started.get();
        Thread.sleep(Long.parseLong(args[2]));
        while (System.in.read() >= 0) {
            continue;
        }
        long rate = (started.get() - already) * 1_000_000_000 / (System.nanoTime() - before);
        done = true;
        for (Thread thread : all) {
            LockSupport.unpark(thread);
            thread.join();
        }
        System.out.println(rate + " short threads a second");
    }
}
