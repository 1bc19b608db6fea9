/* SPDX-License-Identifier: Apache-2.0 */
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Call stacks that hardly ever come twice, on threads whose names never do: 20 of them at a time walk
 * down 60 levels, each time another way, and stay there for a moment. Ends with its input, or after so
 * many milliseconds as told.
 */
public class Many {
    static final AtomicInteger names = new AtomicInteger();
    static volatile boolean done;

    static void left(int levels, long way) throws InterruptedException {
        down(levels, way);
    }

    static void right(int levels, long way) throws InterruptedException {
        down(levels, way);
    }

    static void down(int levels, long way) throws InterruptedException {
        if (levels == 0) {
            Thread.sleep(5);
        } else if ((way & 1) == 0) {
            left(levels - 1, way >> 1);
        } else {
            right(levels - 1, way >> 1);
        }
    }

    static void walk() {
        try {
            for (int i = 0; i < 20; i++) {
                down(60, ThreadLocalRandom.current().nextLong());
            }
            if (!done) {
                start();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void start() {
        new Thread(Many::walk, "many-" + names.incrementAndGet()).start();
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 20; i++) {
            start();
        }
        if (args.length > 0) {
            Thread.sleep(Long.parseLong(args[0]));
        } else {
            while (System.in.read() >= 0) {
                continue;
            }
        }
        done = true;
        System.out.println("done");
    }
}
