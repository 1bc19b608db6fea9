/* SPDX-License-Identifier: Apache-2.0 */
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Short threads all the time beside some that park, until a file appears (args[0]) or 100 s have
 * gone.
 * Says "ready" when they run, and "whole" if every thread that was started came to its end.
 */
public class Births {
    static final AtomicInteger started = new AtomicInteger();
    static final AtomicInteger ended = new AtomicInteger();
    static volatile boolean done;

    static void spawn() {
        try {
            while (!done) {
                started.incrementAndGet();
                Thread thread = new Thread(ended::incrementAndGet, "birth");
                thread.start();
                thread.join();
                Thread.sleep(1);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 20; i++) {
            Thread parked = new Thread(() -> {
                while (!done) {
                    LockSupport.park();
                }
            }, "parked-" + i);
            parked.setDaemon(true);
            parked.start();
        }
        Thread[] spawners = {
            new Thread(Births::spawn, "spawner-1"),
            new Thread(Births::spawn, "spawner-2"),
        };
        for (Thread spawner : spawners) {
            spawner.start();
        }
        System.out.println("ready");
        long end = System.nanoTime() + 100_000_000_000L;
        while (System.nanoTime() < end && !Files.exists(Path.of(args[0]))) {
            Thread.sleep(5);
        }
        done = true;
        for (Thread spawner : spawners) {
            spawner.join();
        }
        System.out.println(started.get() == ended.get() ? "whole" : "torn");
    }
}
