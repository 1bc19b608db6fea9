/* SPDX-License-Identifier: Apache-2.0 */
import java.io.InputStream;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads that live for moments, class loaders that are thrown away with their classes, exceptions and
 * garbage, for as many milliseconds as told, or with 0 until the input ends. Prints how many threads
 * it started.
 */
public class Churn {
    /** Loaded again and again, each time as another class. */
    public static class Unit implements Runnable {
        @Override
        public void run() {
            step(20);
        }

        static long step(int levels) {
            return levels > 0 ? step(levels - 1) + 1 : spin();
        }

        static long spin() {
            long sum = 0;
            for (int i = 0; i < 20_000; i++) {
                sum += i ^ (sum << 1);
            }
            return sum;
        }
    }

    static class Loader extends ClassLoader {
        Loader() {
            super(null);
        }

        Class<?> define(byte[] bytes) {
            return defineClass("Churn$Unit", bytes, 0, bytes.length);
        }
    }

    static final AtomicInteger started = new AtomicInteger();
    static volatile boolean done;

    static void startThreads() {
        try {
            while (!done) {
                int number = started.incrementAndGet();
                Thread thread = new Thread(() -> Unit.step(number % 100), "churn-" + number);
                thread.start();
                if (number % 3 == 0) {
                    thread.join();
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void loadClasses(byte[] bytes) {
        try {
            for (int i = 0; !done; i++) {
                Object unit = new Loader().define(bytes).getDeclaredConstructor().newInstance();
                ((Runnable) unit).run();
                if (i % 100 == 99) {
                    System.gc();
                }
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        byte[] bytes;
        try (InputStream in = Churn.class.getResourceAsStream("Churn$Unit.class")) {
            bytes = in.readAllBytes();
        }
        Thread[] workers = {
            new Thread(Churn::startThreads, "starter"),
            new Thread(() -> loadClasses(bytes), "loader"),
        };
        for (Thread worker : workers) {
            worker.start();
        }
        long milliseconds = Long.parseLong(args[0]);
        if (milliseconds > 0) {
            Thread.sleep(milliseconds);
        } else {
            while (System.in.read() >= 0) {
                continue;
            }
        }
        done = true;
        for (Thread worker : workers) {
            worker.join();
        }
        System.out.println("started " + started.get());
    }
}
