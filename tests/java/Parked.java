/* SPDX-License-Identifier: Apache-2.0 */
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that stay where they are, at known depths and lines. Prints what Java itself knows of them
 * (expect, tab, thread, tab, frames as class.method:line, executing first, -3 for native), then
 * "ready", and ends when its standard input does. Any input before that renames the first thread. With
 * an argument, so many more threads are parked.
 */
public class Parked {
    static final Object lock = new Object();
    static final Object never = new Object();
    static volatile boolean done;

    static void park() {
        while (!done) {
            LockSupport.park();
        }
    }

    static void descend(int levels) {
        if (levels > 0) {
            descend(levels - 1);
        } else {
            park();
        }
    }

    static class Shape {
        Shape(int[] sides, String name) {
            area(sides, name, 2.5);
        }

        static long area(int[] sides, String name, double factor) {
            park();
            return sides.length + name.length();
        }

        static long area(int[] sides, String[][] names, double factor) {
            park();
            return sides.length + names.length;
        }
    }

    static class Holder {
        static {
            park();
        }

        static void touch() {
        }
    }

    static void waiting() throws InterruptedException {
        synchronized (never) {
            while (!done) {
                never.wait();
            }
        }
    }

    static void blocked() {
        synchronized (lock) {
            done = true;
        }
    }

    interface Body {
        void run() throws Exception;
    }

    static final List<Thread> threads = new ArrayList<>();
    static final ThreadGroup group = new ThreadGroup("Parkers");

    static Thread add(String name, long stackSize, Body body) {
        Thread thread = new Thread(group, null, name, stackSize) {
            @Override
            public void run() {
                try {
                    body.run();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }
        };
        threads.add(thread);
        return thread;
    }

    static void addAll() {
        add("shallow", 0, Parked::park);
        add("deep 40", 0, () -> descend(40));
        add("deep 300", 0, () -> descend(300));
        add("deep 5000", 64 << 20, () -> descend(5000));
        add("constructor", 0, () -> new Shape(new int[3], "x")).setPriority(7);
        add("overload", 0, () -> Shape.area(new int[1], new String[0][0], 1.0));
        add("initializer", 0, Holder::touch);
        add("waiting", 0, Parked::waiting).setDaemon(true);
        add("sleeping", 0, () -> Thread.sleep(3_600_000)).setDaemon(true);
        add("n\u00e4m\u00e9 \ud83c\udf88", 0, Parked::park);
        add("blocked", 0, Parked::blocked);
    }

    static boolean settled(Thread thread) {
        Thread.State state = thread.getState();
        if (state == Thread.State.BLOCKED) {
            return thread.getName().equals("blocked");
        }
        if (state != Thread.State.WAITING && state != Thread.State.TIMED_WAITING) {
            return false;
        }
        StackTraceElement[] stack = thread.getStackTrace();
        return stack.length > 0 && stack[0].isNativeMethod();
    }

    static String frames(Thread thread) {
        StringBuilder text = new StringBuilder();
        for (StackTraceElement e : thread.getStackTrace()) {
            text.append(text.length() == 0 ? "" : " ").append(e.getClassName()).append('.')
                    .append(e.getMethodName()).append(':')
                    .append(e.isNativeMethod() ? -3 : e.getLineNumber());
        }
        return text.toString();
    }

    public static void main(String[] args) throws Exception {
        addAll();
        for (int i = 0; args.length > 0 && i < Integer.parseInt(args[0]); i++) {
            add("more " + i, 0, Parked::park);
        }
        synchronized (lock) {
            StringBuilder out = new StringBuilder();
            for (Thread thread : threads) {
                thread.start();
            }
            for (Thread thread : threads) {
                while (!settled(thread)) {
                    Thread.yield();
                }
                out.append("expect\t").append(thread.getName()).append('\t')
                        .append(frames(thread)).append('\n');
            }
            System.out.write(out.append("ready\n").toString().getBytes("UTF-8"));
            System.out.flush();
            while (System.in.read() >= 0) {
                threads.get(0).setName("renamed");
            }
        }
        done = true;
        for (Thread thread : threads) {
            while (thread.isAlive() && !thread.isDaemon()) {
                LockSupport.unpark(thread);
                thread.join(1);
            }
        }
    }
}
