/* SPDX-License-Identifier: Apache-2.0 */
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A JVM that is simply there. Until MILLISECONDS [FILE [STATUS]] says "ready", and ends after the
 * time, or when FILE comes into being, with STATUS. Also prints the property "kept", if set.
 */
public class Until {
    public static void main(String[] args) throws InterruptedException {
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000;
        Path file = args.length > 1 ? Path.of(args[1]) : null;
        System.out.println("ready " + System.getProperty("kept", ""));
        while (System.nanoTime() < end && (file == null || !Files.exists(file))) {
            Thread.sleep(5);
        }
        System.exit(args.length > 2 ? Integer.parseInt(args[2]) : 0);
    }
}
