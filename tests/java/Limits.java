/* SPDX-License-Identifier: Apache-2.0 */
import java.util.ArrayList;
import java.util.List;

/**
 * Limits HOW MILLISECONDS runs into a limit of the JVM's again and again: "heap" fills the heap and
 * lets go, "stack" recurses until the stack is full. "full" waits, fills the heap and
 * dies of it.
 */
public class Limits {
    static volatile Object kept;

    static void fill() {
        List<byte[]> all = new ArrayList<>();
        kept = all;
        while (true) {
            all.add(new byte[all.size() % 2 == 0 ? 1 << 16 : 16]);
        }
    }

    static boolean fillAndLetGo() {
        try {
            fill();
            return false;
        } catch (OutOfMemoryError e) {
            kept = null;
            return true;
        }
    }

    static int descend(int depth) {
        try {
            return descend(depth + 1);
        } catch (StackOverflowError e) {
            return depth;
        }
    }

    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + Long.parseLong(args[1]) * 1_000_000;
        boolean hit = false;
        if (args[0].equals("full")) {
            Enough.sleep(Long.parseLong(args[1]));
            fill();
        }
        do {
            hit |= args[0].equals("heap") ? fillAndLetGo() : descend(0) > 100;
        } while (!Enough.since(end));
        System.out.println(hit ? "hit" : "never hit");
    }
}
