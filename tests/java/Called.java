/* SPDX-License-Identifier: Apache-2.0 */
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.invoke.MethodHandles;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Calls methods as often as told. Each line of its input is a command, and "done" is printed after
 * it:
 *
 * <pre>
 * few             once() once, seven() 7 times, a lambda 3 times, never() not at all
 * times N         times() N times, a few of them a millisecond
 * classes N       N classes in loaders of their own, with five methods each, which are called once;
 *                 they can be unloaded
 * kept N          the same, but they cannot
 * hidden          a hidden class, with a method
 * collect         the garbage collector
 * </pre>
 */
public class Called {
    static volatile int sink;
    static final ConcurrentHashMap<Object, Object> kept = new ConcurrentHashMap<>();
    static int defined;

    static void once() {
        sink++;
    }

    static void seven() {
        sink++;
    }

    static void never() {
        sink++;
    }

    static void times() {
        sink++;
    }

    public static void last() {
        sink++;
    }

    static void few() {
        once();
        for (int i = 0; i < 7; i++) {
            seven();
        }
        Runnable lambda = () -> sink++;
        for (int i = 0; i < 3; i++) {
            lambda.run();
        }
    }

    static void often(int count) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            times();
            if (i % 10 == 0) {
                Thread.sleep(1);
            }
        }
    }

    static void classes(int count, boolean keep) throws Exception {
        for (int i = 0; i < count; i++) {
            byte[] bytes = ClassBytes.chain("c/C" + ++defined, "C.java", 1, "Called", "last", "m1",
                "m2", "m3", "m4", "m5");
            Class<?> c = new ClassBytes.Loader().run(bytes);
            if (keep) {
                kept.put(c, c);
            }
        }
    }

    static void hidden() throws Exception {
        byte[] bytes = ClassBytes.chain("Hidden", null, 0, "Called", "last", "hidden");
        MethodHandles.lookup().defineHiddenClass(bytes, true);
    }

    static void obey(String[] command) throws Exception {
        switch (command[0]) {
            case "few" -> few();
            case "times" -> often(Integer.parseInt(command[1]));
            case "hidden" -> hidden();
            case "classes", "kept" ->
                classes(Integer.parseInt(command[1]), command[0].equals("kept"));
            case "collect" -> System.gc();
            default -> throw new IllegalArgumentException(command[0]);
        }
    }

    interface Obedient {
        void obey(String[] command) throws Exception;
    }

    /** Has each line of the input obeyed. */
    static void serve(Obedient program) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            program.obey(line.split(" "));
            System.out.println("done");
        }
    }

    public static void main(String[] args) throws Exception {
        serve(Called::obey);
    }
}
