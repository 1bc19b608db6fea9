/* SPDX-License-Identifier: Apache-2.0 */
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Virtual threads of known numbers, called by reflection so that any JDK compiles this; where there
 * are none (JDK 17) it says "none" and ends. Each kind's k-th is called kind-k and rests or runs in
 * its kind's method, below k % 7 + 1 calls of down:
 *   parked   N of them: on nothing, forever          unnamed  N / 10: the same without a name
 *   waiting  N / 10: sleeping for an hour             pinned   2: parked in a class initializer
 *   busy     1: computing                             yielding 4: computing, yielding and resting
 * and with a second argument "churn": short ones are started all the time. Usage:
 * Virtual N [churn]. Says "thread ID KIND NUMBER" for each, "ready TIME" when all stand and "over
 * TIME" when its input has ended and they go; TIME is the monotonic clock's, ns.
 */
public class Virtual {
    static volatile boolean done;
    static volatile long sum;
    static final AtomicInteger standing = new AtomicInteger();
    static final List<Thread> threads = new ArrayList<>();
    static final StringBuilder said = new StringBuilder();
    static long started;

    interface Body {
        void run(int number) throws Exception;
    }

    static Thread start(String name, Runnable task) throws Exception {
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        Class<?> type = Class.forName("java.lang.Thread$Builder");
        if (!name.isEmpty()) {
            builder = type.getMethod("name", String.class).invoke(builder, name);
        }
        return (Thread) type.getMethod("start", Runnable.class).invoke(builder, task);
    }

    @SuppressWarnings("deprecation") // threadId() is newer than JDK 17
    static void add(String kind, int number, Body body) throws Exception {
        Thread thread = start(kind.equals("unnamed") ? "" : kind + "-" + number, () -> {
            try {
                down(number % 7, number, body);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        threads.add(thread);
        said.append("thread ").append(thread.getId()).append(' ').append(kind).append(' ')
                .append(number).append('\n');
    }

    static void down(int levels, int number, Body body) throws Exception {
        if (levels > 0) {
            down(levels - 1, number, body);
        } else {
            body.run(number);
        }
    }

    static void parked(int number) {
        standing.incrementAndGet();
        while (!done) {
            LockSupport.park();
        }
    }

    static void unnamed(int number) {
        parked(number);
    }

    static void waiting(int number) throws Exception {
        standing.incrementAndGet();
        try {
            Thread.sleep(3_600_000);
        } catch (InterruptedException e) {
            // the end
        }
    }

    /** A class initializer is a native frame: a virtual thread does not leave its carrier here. */
    static class Pinned0 {
        static {
            pinned(0);
        }

        static void touch() {}
    }

    static class Pinned1 {
        static {
            pinned(1);
        }

        static void touch() {}
    }

    static void pinned(int number) {
        parked(number);
    }

    static void initialise(int number) {
        if (number == 0) {
            Pinned0.touch();
        } else {
            Pinned1.touch();
        }
    }

    static long work() {
        long x = System.nanoTime();
        for (int i = 0; i < 2000; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
        }
        return x;
    }

    static void busy(int number) {
        standing.incrementAndGet();
        while (!done) {
            sum += work();
        }
    }

    static void yielding(int number) {
        standing.incrementAndGet();
        for (int i = 0; !done; i++) {
            sum += work();
            if (i % 16 == number) {
                LockSupport.parkNanos(50_000);
            } else {
                Thread.yield();
            }
        }
    }

    static void shortOne(int number) {
        sum += number;
        if (number % 8 == 0) {
            Thread.yield();
        }
    }

    static void churn() {
        try {
            for (int i = 0; !done; i++) {
                int number = i;
                if (i % 2 == 0) {
                    start("short-" + number, () -> shortOne(number));
                } else {
                    start("", () -> shortOne(number));
                }
                started++;
                if (i % 64 == 0) {
                    LockSupport.parkNanos(200_000);
                }
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Those that yield come last, and rest now and then: a carrier with one in its own queue looks
     * into no other queue.
     */
    static void addAll(int n) throws Exception {
        add("busy", 0, Virtual::busy);
        for (int i = 0; i < 2; i++) {
            add("pinned", i, Virtual::initialise);
        }
        for (int i = 0; i < n; i++) {
            add("parked", i, Virtual::parked);
        }
        for (int i = 0; i < n / 10; i++) {
            add("unnamed", i, Virtual::unnamed);
            add("waiting", i, Virtual::waiting);
        }
        while (standing.get() < threads.size()) {
            Thread.sleep(1);
        }
        for (int i = 0; i < 4; i++) {
            add("yielding", i, Virtual::yielding);
        }
        while (standing.get() < threads.size()) {
            Thread.sleep(1);
        }
    }

    public static void main(String[] args) throws Exception {
        try {
            Thread.class.getMethod("ofVirtual");
        } catch (NoSuchMethodException e) {
            System.out.println("none");
            return;
        }
        addAll(Integer.parseInt(args[0]));
        for (Thread thread : threads) {
            String name = thread.getName();
            while ((name.isEmpty() || name.startsWith("parked") || name.startsWith("waiting"))
                    && thread.getState() != Thread.State.WAITING
                    && thread.getState() != Thread.State.TIMED_WAITING) {
                Thread.sleep(1);
            }
        }
        Thread churner = new Thread(Virtual::churn, "churner");
        if (args.length > 1) {
            churner.start();
        }
        System.out.print(said.append("ready ").append(System.nanoTime()).append('\n'));
        System.out.flush();
        while (System.in.read() >= 0) {
            // until its end
        }
        System.out.println("over " + System.nanoTime());
        done = true;
        churner.join();
        for (Thread thread : threads) {
            thread.interrupt();
            LockSupport.unpark(thread);
            thread.join();
        }
        System.out.println("ended " + started);
    }
}
