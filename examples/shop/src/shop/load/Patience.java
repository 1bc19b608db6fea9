/* SPDX-License-Identifier: Apache-2.0 */
package shop.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How long a customer waits for a reply: longer on a busy computer, so that a run is not judged
 * by what else the computer does.
 */
record Patience(int millis) {
    /** Five machines that start on two processors at the same time wait as long as they run. */
    private static final int USUAL_SLOWNESS = 2;
    private static final int MOST = 2;

    /** @param leastMillis on a computer with nothing else to do */
    static Patience now(int leastMillis) throws IOException {
        double factor = Math.min(Math.max(slowness() / USUAL_SLOWNESS, 1), MOST);
        return new Patience((int) (leastMillis * factor));
    }

    /** This thread's time with its waits for a processor, over that without; 1 if unknown. */
    private static double slowness() throws IOException {
        Path schedstat = Path.of("/proc/thread-self/schedstat");
        if (!Files.exists(schedstat)) {
            return 1;
        }
        String[] words = Files.readString(schedstat).trim().split(" ");
        double ran = Double.parseDouble(words[0]);
        double waited = Double.parseDouble(words[1]);
        return ran > 0 ? (ran + waited) / ran : 1;
    }
}
