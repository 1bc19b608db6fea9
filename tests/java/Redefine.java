/* SPDX-License-Identifier: Apache-2.0 */
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;

/**
 * Redefines the class Changing, which the test compiles in two versions, as its input tells: "stop"
 * and "go" for the thread "loop", which calls its methods again and again; "old" or "new" redefines
 * it from the class file that the first or second argument names; "toggle" does so 40 times, with
 * the loop running; "again" retransforms it and this class; "leave" lets the thread "stays" return,
 * which has been in a method of it since the start, and call it again. Answers each with the word
 * when that is done. A java.lang.instrument agent itself.
 */
public class Redefine {
    static Instrumentation instrumentation;
    static final Semaphore running = new Semaphore(1);
    static final CountDownLatch inside = new CountDownLatch(2);
    static final CountDownLatch leave = new CountDownLatch(1);
    static final CountDownLatch done = new CountDownLatch(1);
    static volatile boolean ended;

    public static void premain(String args, Instrumentation given) {
        instrumentation = given;
    }

    /** Called by the methods of Changing: a moment. */
    public static void moment() throws InterruptedException {
        inside.countDown();
        Thread.sleep(2);
    }

    static void loop() {
        try {
            while (!ended) {
                running.acquire();
                Changing.other(1);
                Changing.same();
                running.release();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void stay() {
        try {
            inside.countDown();
            Changing.stay(leave);
            Changing.stay(done);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void redefine(String file) throws Exception {
        byte[] bytes = Files.readAllBytes(Path.of(file));
        instrumentation.redefineClasses(new ClassDefinition(Changing.class, bytes));
    }

    static void act(String command, String[] args) throws Exception {
        switch (command) {
            case "stop" -> running.acquire();
            case "go" -> running.release();
            case "old" -> redefine(args[0]);
            case "new" -> redefine(args[1]);
            case "again" -> instrumentation.retransformClasses(Changing.class, Redefine.class);
            case "leave" -> leave.countDown();
            case "toggle" -> {
                for (int i = 0; i < 20; i++) {
                    redefine(args[0]);
                    Thread.sleep(5);
                    redefine(args[1]);
                    Thread.sleep(5);
                }
            }
            default -> throw new IllegalArgumentException(command);
        }
    }

    public static void main(String[] args) throws Exception {
        Thread looping = new Thread(Redefine::loop, "loop");
        Thread staying = new Thread(Redefine::stay, "stays");
        looping.start();
        staying.start();
        inside.await();
        System.out.println("ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String command = in.readLine(); command != null; command = in.readLine()) {
            act(command, args);
            System.out.println(command);
        }
        ended = true;
        leave.countDown();
        done.countDown();
        running.release();
        looping.join();
        staying.join();
    }
}
