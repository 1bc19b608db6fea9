/* SPDX-License-Identifier: Apache-2.0 */
import java.util.concurrent.CountDownLatch;

/**
 * Executes code as told. Each line of its input is a command, and "done" is printed after it. Lines that
 * tests look for end with a comment, as "// rare".
 *
 * <pre>
 * branch N     one of two branches, N times; the rare one if N is 13
 * early        classes of which there are objects before they are initialized, and whose initializers
 *              wait for these objects' methods on other threads
 * failed       a class whose initializer fails, and an object of it all the same
 * classes N    N classes in loaders of their own, with five methods each; they can be unloaded
 * kept N       the same, but they cannot
 * collect      the garbage collector
 * </pre>
 */
public class Covering {
    static volatile int sink;
    static Object leaked;

    static void branch(int count) {
        if (count == 13) {
            sink += 13; // rare
        } else {
            sink += count; // usual
        }
        sink += count > 100 ? 1 : 2; // either
    }

    /** A singleton whose constructor waits for a thread of its own. */
    static class Early extends Thread {
        static final Early ONE = new Early();
        final CountDownLatch started = new CountDownLatch(1);

        Early() {
            start();
            try {
                started.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void run() {
            tell(5);
        }

        void tell(int count) {
            if (count > 0) {
                started.countDown(); // early
            }
        }

        static int word() {
            return sink; // static
        }
    }

    enum Only {
        ONE;

        final Thread thread = new Thread(this::work);

        Only() {
            thread.start();
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        void work() {
            sink++;
        }
    }

    static class Failing {
        static final Failing ONE = new Failing();
        static final int NEVER = Integer.parseInt("not a number");

        Failing() {
            leaked = this;
        }

        @Override
        public String toString() {
            return "failing";
        }
    }

    static void early() {
        Early.word();
        Only.ONE.work();
    }

    static void failed() {
        try {
            new Failing();
        } catch (ExceptionInInitializerError e) { // caught
            sink++;
        }
        if (!leaked.toString().equals("failing")) {
            throw new AssertionError(leaked);
        }
    }

    static void obey(String[] command) throws Exception {
        switch (command[0]) {
            case "branch" -> branch(Integer.parseInt(command[1]));
            case "early" -> early();
            case "failed" -> failed();
            case "classes", "kept" ->
                Called.classes(Integer.parseInt(command[1]), command[0].equals("kept"));
            case "collect" -> System.gc();
            default -> throw new IllegalArgumentException(command[0]);
        }
    }

    public static void main(String[] args) throws Exception {
        Called.serve(Covering::obey);
    }
}
