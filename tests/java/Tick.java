/* SPDX-License-Identifier: Apache-2.0 */
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/**
 * Tick FILE FIGURES STATUS: says "ready", ticks every 2 ms beside a thread that is busy now and then, until FILE
 * comes into being, and ends with STATUS. Into FIGURES goes how many ticks there were and by how many
 * milliseconds the latest was late: "N W".
 */
public class Tick {
    static volatile boolean done;
    static volatile long result;

    static long deep(int n) {
        return n == 0 ? System.nanoTime() : deep(n - 1) + (n & 1);
    }

    static void compute() {
        while (!done) {
            result += deep((int) (result & 63));
            LockSupport.parkNanos(100_000);
        }
    }

    public static void main(String[] args) throws Exception {
        Path file = Path.of(args[0]);
        Thread worker = new Thread(Tick::compute, "worker");
        worker.start();
        System.out.println("ready");
        long ticks = 0;
        long worst = 0;
        long last = System.nanoTime();
        while (ticks % 16 != 0 || !Files.exists(file)) {
            Thread.sleep(2);
            long now = System.nanoTime();
            worst = Math.max(worst, now - last - 2_000_000);
            last = now;
            ticks++;
        }
        done = true;
        worker.join();
        Files.writeString(Path.of(args[1]), String.format(Locale.ROOT, "%d %d%n", ticks, worst / 1_000_000));
        System.out.println("done");
        System.exit(Integer.parseInt(args[2]));
    }
}
