/* SPDX-License-Identifier: Apache-2.0 */
import java.nio.file.Files;
import java.nio.file.Path;

/** Pools FILE NAME...: a thread of each name, until FILE comes into being. */
public class Pools {
    public static void main(String[] args) {
        Path file = Path.of(args[0]);
        for (int i = 1; i < args.length; i++) {
            new Thread(() -> await(file), args[i]).start();
        }
    }

    private static void await(Path file) {
        try {
            while (!Files.exists(file)) {
                Thread.sleep(10);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
