/* SPDX-License-Identifier: Apache-2.0 */
import java.io.File;

/**
 * How long a program under test has to live: until a time, and, with -Denough=FILE, until FILE is
 * there. The test makes FILE once it has its packets, however busy the machine is.
 */
public class Enough {
    private static final File file = System.getProperty("enough") == null ? null
            : new File(System.getProperty("enough"));

    static boolean since(long end) {
        return System.nanoTime() >= end && (file == null || file.exists());
    }

    /** Waits for millis at least. */
    static void sleep(long millis) throws InterruptedException {
        long end = System.nanoTime() + millis * 1_000_000;
        Thread.sleep(millis);
        while (!since(end)) {
            Thread.sleep(5);
        }
    }
}
