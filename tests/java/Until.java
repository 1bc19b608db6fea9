/* SPDX-License-Identifier: Apache-2.0 */
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A JVM that is simply there. Until MILLISECONDS[+] [FILE [STATUS]] says "ready", and ends after the
 * time, or when FILE comes into being, with STATUS. With a + it goes on until the agent has taken
 * packets, for a minute at most: its log in $IXOR_RUN_DIR has grown three times. Also prints the
 * property "kept", if set.
 */
public class Until {
    private static final long MOST_NS = 60_000_000_000L;
    private static long bytes;
    private static int grown;

    private static boolean sampled() {
        String end = "-" + ProcessHandle.current().pid() + ".ixl";
        File[] logs = new File(System.getenv("IXOR_RUN_DIR")).listFiles((dir, name) -> name.endsWith(end));
        if (logs != null && logs.length == 1 && logs[0].length() > bytes) {
            bytes = logs[0].length();
            grown++;
        }
        return grown > 3;
    }

    public static void main(String[] args) throws InterruptedException {
        boolean more = args[0].endsWith("+");
        long begin = System.nanoTime();
        long end = begin + Long.parseLong(more ? args[0].substring(0, args[0].length() - 1) : args[0]) * 1_000_000;
        Path file = args.length > 1 ? Path.of(args[1]) : null;
        System.out.println("ready " + System.getProperty("kept", ""));
        while ((System.nanoTime() < end || more && !sampled() && System.nanoTime() < begin + MOST_NS)
                && (file == null || !Files.exists(file))) {
            Thread.sleep(5);
        }
        System.exit(args.length > 2 ? Integer.parseInt(args[2]) : 0);
    }
}
