/* SPDX-License-Identifier: Apache-2.0 */
import java.lang.invoke.MethodHandles;
import java.lang.management.ClassLoadingMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Loads classes, spends a moment in their methods, and drops them, for as many milliseconds as
 * told, and longer if nothing much was unloaded until then: in class loaders of their own, g.G7
 * with methods m7_0 to m7_5, and hidden ones, H8/0x... All methods of a class are on the stack when
 * it works. Prints how many classes it defined and how many were unloaded.
 */
public class Classes {
    static final int DEPTH = 6;
    static final int UNLOADED_MIN = 200;
    static final long PATIENCE_MS = 60_000;
    static final AtomicInteger numbers = new AtomicInteger();
    static volatile boolean done;
    static volatile long sink;

    /** Called by the last method of each class: up to 2 ms, so that most classes die unseen. */
    public static void work() {
        long nanos = ThreadLocalRandom.current().nextLong(2_000_000);
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() < end) {
            sink += nanos;
        }
    }

    static void define() throws Exception {
        int number = numbers.incrementAndGet();
        String[] methods = new String[DEPTH];
        for (int i = 0; i < DEPTH; i++) {
            methods[i] = "m" + number + "_" + i;
        }
        if (number % 2 == 0) {
            byte[] bytes = ClassBytes.chain("H" + number, null, 0, "Classes", "work", methods);
            MethodHandles.lookup().defineHiddenClass(bytes, true);
        } else {
            byte[] bytes =
                ClassBytes.chain("g/G" + number, "G.kt", 100, "Classes", "work", methods);
            new ClassBytes.Loader().run(bytes);
        }
    }

    static void defineAll() {
        try {
            while (!done) {
                define();
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Threads that end right after the last use of their class. */
    static void startThreads() {
        try {
            while (!done) {
                Thread thread = new Thread(() -> {
                    try {
                        define();
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                });
                thread.start();
                thread.join();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void collect() {
        try {
            while (!done) {
                System.gc();
                Thread.sleep(10);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        Thread[] workers = {
            new Thread(Classes::defineAll, "definer 1"),
            new Thread(Classes::defineAll, "definer 2"),
            new Thread(Classes::startThreads, "starter"),
            new Thread(Classes::collect, "collector"),
        };
        for (Thread worker : workers) {
            worker.start();
        }
        ClassLoadingMXBean classes = ManagementFactory.getClassLoadingMXBean();
        long millis = Long.parseLong(args[0]);
        for (long spent = 0; spent < millis
                || classes.getUnloadedClassCount() < UNLOADED_MIN && spent < millis + PATIENCE_MS;
                spent += 100) {
            Thread.sleep(100);
        }
        done = true;
        for (Thread worker : workers) {
            worker.join();
        }
        System.out.println("defined " + numbers.get());
        System.out.println("unloaded " + classes.getUnloadedClassCount());
    }
}
