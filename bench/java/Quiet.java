/* SPDX-License-Identifier: Apache-2.0 */
import java.nio.file.Files;
import java.nio.file.Path;

/** A JVM that is there and does next to nothing until FILE comes into being: Quiet FILE. */
public class Quiet {
    public static void main(String[] args) throws InterruptedException {
        while (!Files.exists(Path.of(args[0]))) {
            Thread.sleep(200);
        }
    }
}
