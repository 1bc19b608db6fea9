/* SPDX-License-Identifier: Apache-2.0 */
package ixor.junit;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;

/** Calls the agent as no launcher does. Prints what each begin answers. */
public final class Calls {
    private Calls() {
    }

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "twice": // a second test begins before the first one ends
                begin("twice.first");
                begin("twice.second");
                begin("twice.third");
                for (int i = 0; i < 3; i++) {
                    Agent.end(Agent.PASSED, "");
                }
                one("twice.after");
                break;
            case "end": // one that has not begun
                Agent.end(Agent.PASSED, "nothing has begun");
                one("end.after");
                Agent.end(Agent.FAILED, "it has ended");
                break;
            case "one":
                one("one.test");
                break;
            case "names":
                for (String name : new String[] {"a/b", "", "..", "\u0000\uD83D\uDE00\uD83D", "a\nb",
                        "x".repeat(5000), "\u00e4".repeat(150), null}) {
                    one(name);
                }
                begin("names.text");
                Agent.end(7, "t".repeat(5000));
                break;
            case "threads":
                threads(Integer.parseInt(args[1]));
                one("threads.after");
                break;
            case "exit":
                begin("exit.test");
                System.exit(3);
                break;
            case "halt":
                begin("halt.test");
                Runtime.getRuntime().halt(3);
                break;
            case "stay": // until its input ends
                begin("stay.test");
                System.in.read();
                Agent.end(Agent.PASSED, "");
                break;
            case "leave":
                leave();
                break;
            case "many":
                many(Integer.parseInt(args[1]));
                break;
            default:
                throw new IllegalArgumentException(args[0]);
        }
        System.out.println("done");
    }

    private static void begin(String name) {
        System.out.println("begin " + Agent.begin(name, 0));
    }

    private static void one(String name) {
        begin(name);
        Agent.end(Agent.PASSED, null);
    }

    /** A run ends with each byte of the input; only '!' begins a thread, which stays. */
    private static void leave() throws IOException {
        begin("leave.test");
        for (int c = System.in.read(); c >= 0; c = System.in.read()) {
            if (c == '!') {
                Thread left = new Thread(Calls::stay, "left");
                left.setDaemon(true);
                left.start();
            } else {
                Agent.end(Agent.PASSED, "");
                begin("leave.test");
            }
        }
        Agent.end(Agent.PASSED, "");
    }

    private static void stay() {
        try {
            Thread.sleep(600_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Threads that begin and end tests at the same time, without order. */
    private static void threads(int count) throws InterruptedException {
        CountDownLatch all = new CountDownLatch(count);
        Thread[] started = new Thread[count];
        for (int i = 0; i < count; i++) {
            String name = "threads." + i;
            started[i] = new Thread(() -> {
                all.countDown();
                for (int n = 0; n < 20; n++) {
                    Agent.begin(name, 0);
                    Agent.end(Agent.PASSED, "");
                }
            });
            started[i].start();
        }
        for (Thread t : started) {
            t.join();
        }
    }

    private static void many(int count) {
        long begun = 0;
        long longest = 0;
        long started = System.nanoTime();
        for (int i = 0; i < count; i++) {
            long before = System.nanoTime();
            begun += Agent.begin("many.test", 0) == Agent.BEGUN ? 1 : 0;
            Agent.end(Agent.PASSED, "");
            longest = Math.max(longest, System.nanoTime() - before);
        }
        long us = (System.nanoTime() - started) / 1000;
        System.out.println("begun " + begun + " us_each " + us / count + " longest_us " + longest / 1000);
    }
}
