/* SPDX-License-Identifier: Apache-2.0 */
import java.io.Closeable;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Does what is recorded beside the stacks, one thing at a time, as told by lines on standard input, and
 * says "done COMMAND" after each; ends with the input.
 *
 * <pre>
 *   locks        threads that own, enter and wait on monitors, and stay so (named below)
 *   race MS      threads that enter and leave monitors as fast as they can, for so long
 *   throw N      N exceptions of class Facts$Known, thrown in thrower() and caught by thread "main"
 *   null N       N NullPointerExceptions of thread "main"
 *   hidden N     N exceptions thrown in N hidden classes, each unloadable afterwards
 *   overflow     a StackOverflowError
 *   fatal        an exception that ends thread "victim"
 *   slow         thread "slow" makes an exception of a class that is not initialized until "go"
 *   quick N      the same as throw, in thread "flood", and says how long one took, in ns
 *   storm MS     all of it at once, by threads that go on when the JVM ends
 *   gc N         N collections                     open N     N more open files
 * </pre>
 */
public class Facts {
    static class Known extends RuntimeException {
        private static final long serialVersionUID = 1;

        Known() {
            super(null, null, false, false);
        }
    }

    static final java.util.concurrent.CountDownLatch goOn = new java.util.concurrent.CountDownLatch(1);

    static class Slow extends RuntimeException {
        private static final long serialVersionUID = 1;

        static {
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static class First {}

    static class Second {}

    static class Third {}

    static class Held {}

    static class Slept {}

    static class Waited {}

    static class Outer {}

    static class Idle {}

    static class Computed {}

    static final List<Closeable> files = new ArrayList<>();
    static volatile boolean done;
    static volatile long sink;

    static Thread start(String name, Runnable what) {
        Thread thread = new Thread(what, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    static void await(Thread thread, Thread.State state) throws InterruptedException {
        while (thread.getState() != state) {
            Thread.sleep(1);
        }
    }

    /** Holds a for good and enters b once the other one is as far. */
    static void cross(Object a, Object b, int[] ready) {
        synchronized (a) {
            synchronized (ready) {
                ready[0]++;
            }
            while (ready(ready) < 2) {
                Thread.onSpinWait();
            }
            enter(b);
        }
    }

    static int ready(int[] ready) {
        synchronized (ready) {
            return ready[0];
        }
    }

    static void enter(Object lock) {
        synchronized (lock) {
            sink++;
        }
    }

    /** Some JVMs tell of a wait that they then refuse, and not of its end. */
    static void refusedWait(Object lock) {
        try {
            lock.wait();
        } catch (IllegalMonitorStateException | InterruptedException e) {
            sink++;
        }
    }

    static void waitOn(Object lock) {
        synchronized (lock) {
            while (true) {
                try {
                    lock.wait();
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }

    /** Owns lock in a caller's caller, then waits on another. */
    static void holdAndWait(Object lock, Object other) {
        synchronized (lock) {
            between(other);
        }
    }

    static void between(Object other) {
        waitOn(other);
    }

    static void hold(Object lock) {
        synchronized (lock) {
            while (!done) {
                LockSupport.park();
            }
        }
    }

    static void compute(Object lock) {
        synchronized (lock) {
            while (!done) {
                sink++;
            }
        }
    }

    /** The same monitor twice, and another one within. */
    static void nest(Object outer, Object inner, Object waited) {
        synchronized (outer) {
            synchronized (outer) {
                synchronized (inner) {
                    between(waited);
                }
            }
        }
    }

    static void locks() throws InterruptedException {
        Object first = new First(), second = new Second(), third = new Third();
        Object held = new Held(), slept = new Slept(), computed = new Computed();
        int[] ready = new int[1];
        Thread left = start("left", () -> cross(first, second, ready));
        Thread right = start("right", () -> cross(second, first, ready));
        await(left, Thread.State.BLOCKED);
        await(right, Thread.State.BLOCKED);
        await(start("behind", () -> enter(first)), Thread.State.BLOCKED);
        await(start("owner", () -> holdAndWait(held, new Waited())), Thread.State.WAITING);
        await(start("blocked 1", () -> enter(held)), Thread.State.BLOCKED);
        await(start("blocked 2", () -> enter(held)), Thread.State.BLOCKED);
        await(start("nested", () -> nest(new Outer(), third, new Waited())), Thread.State.WAITING);
        Thread idle = start("idle", () -> {
            refusedWait(new Third());
            waitOn(new Idle());
        });
        await(idle, Thread.State.WAITING);
        await(start("sleeper", () -> hold(slept)), Thread.State.WAITING);
        await(start("blocked 3", () -> enter(slept)), Thread.State.BLOCKED);
        start("computer", () -> compute(computed));
        Thread blocked;
        do {
            Thread.sleep(5);
            blocked = start("blocked 4", () -> enter(computed));
            Thread.sleep(5);
        } while (blocked.getState() != Thread.State.BLOCKED);
    }

    /** Each thread owns what its stack says: in one() a First, in two() a First and a Second. */
    static void one(Object first, Object second) {
        synchronized (first) {
            two(second);
        }
    }

    static void two(Object second) {
        synchronized (second) {
            sink++;
            third(second);
        }
    }

    static void third(Object second) {
        try {
            if (sink % 4 == 0) {
                second.wait(0, 100_000);
            }
        } catch (InterruptedException e) {
            done = true;
        }
    }

    static void race(long millis) throws InterruptedException {
        Object[] first = {new First(), new First()}, second = {new Second(), new Second()};
        long end = System.nanoTime() + millis * 1_000_000;
        List<Thread> racers = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            int own = i % 2;
            racers.add(start("racer " + i, () -> {
                for (int n = 0; System.nanoTime() < end; n++) {
                    one(first[own], second[n % 2]);
                }
            }));
        }
        for (Thread racer : racers) {
            racer.join();
        }
    }

    static void inThread(String name, Runnable what) throws InterruptedException {
        start(name, what).join();
    }

    static void thrower() {
        throw new Known(); // the throw site
    }

    static void caught(int n) {
        for (int i = 0; i < n; i++) {
            try {
                thrower();
            } catch (Known e) {
                sink++;
            }
        }
    }

    static void nulls(int n) {
        for (int i = 0; i < n; i++) {
            String none = n < 0 ? "" : null;
            try {
                sink += none.length();
            } catch (NullPointerException e) {
                sink++;
            }
        }
    }

    /** Copied into hidden classes. */
    public static class Unit implements Runnable {
        @Override
        public void run() {
            throw new java.util.EmptyStackException();
        }
    }

    static void hidden(int n) {
        try (InputStream in = Facts.class.getResourceAsStream("Facts$Unit.class")) {
            byte[] bytes = in.readAllBytes();
            for (int i = 0; i < n; i++) {
                Class<?> unit = MethodHandles.lookup().defineHiddenClass(bytes, true).lookupClass();
                Runnable run = (Runnable) unit.getDeclaredConstructor().newInstance();
                try {
                    run.run();
                } catch (java.util.EmptyStackException e) {
                    sink++;
                }
            }
        } catch (java.io.IOException | ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static Thread slow;

    static void slow() {
        try {
            throw new Slow();
        } catch (Slow e) {
            sink++;
        }
    }

    static int deeper(int n) {
        return deeper(n + 1) + 1;
    }

    static void overflow() {
        try {
            sink += deeper(0);
        } catch (StackOverflowError e) {
            sink++;
        }
    }

    static void quick(int n) {
        long begun = System.nanoTime();
        caught(n);
        System.out.println("took " + (System.nanoTime() - begun) / n);
    }

    static void forever(Runnable what) {
        while (true) {
            what.run();
        }
    }

    static void storm(int millis) throws InterruptedException {
        Object first = new First(), second = new Second();
        for (int i = 0; i < 3; i++) {
            start("thrower " + i, () -> forever(Facts::thrown));
            start("racer " + 2 * i, () -> forever(() -> one(first, second)));
        }
        start("unloader", () -> forever(() -> hidden(5)));
        start("collector", () -> forever(() -> gc(1)));
        start("starter", () -> forever(() -> start("short", Facts::thrown)));
        Thread.sleep(millis);
    }

    static void thrown() {
        caught(10);
        nulls(10);
    }

    static void gc(int n) {
        for (int i = 0; i < n; i++) {
            System.gc();
        }
    }

    static void open(int n) {
        try {
            for (int i = 0; i < n; i++) {
                files.add(new RandomAccessFile("/dev/null", "r"));
            }
        } catch (java.io.IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static void command(String name, int n) throws InterruptedException {
        switch (name) {
            case "locks" -> locks();
            case "race" -> race(n);
            case "throw" -> caught(n);
            case "null" -> nulls(n);
            case "hidden" -> hidden(n);
            case "overflow" -> inThread("overflow", Facts::overflow);
            case "fatal" -> inThread("victim", Facts::thrower);
            case "slow" -> slow = start("slow", Facts::slow);
            case "go" -> {
                goOn.countDown();
                slow.join();
            }
            case "quick" -> inThread("flood", () -> quick(n));
            case "storm" -> storm(n);
            case "gc" -> gc(n);
            case "open" -> open(n);
            default -> throw new IllegalArgumentException(name);
        }
    }

    /** Reads a line byte by byte, so that main's stack and exceptions are few. */
    static String line() throws java.io.IOException {
        StringBuilder line = new StringBuilder();
        for (int c; (c = System.in.read()) != '\n'; line.append((char) c)) {
            if (c < 0) {
                return null;
            }
        }
        return line.toString();
    }

    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        for (String line; (line = line()) != null; ) {
            String[] words = line.split(" ");
            command(words[0], words.length > 1 ? Integer.parseInt(words[1]) : 0);
            System.out.println("done " + line);
        }
    }
}
