/* SPDX-License-Identifier: Apache-2.0 */
package shop.front;

import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import shop.base.Switches;

/** Pictures of the items, decoded once. */
final class Pictures {
    private static final int BYTES = 1 << 21;
    private static final int STRIPE = 1 << 14;

    private final Map<String, byte[]> decoded = new ConcurrentHashMap<>();

    /** What a browser compares to see whether its copy is the current one. */
    int tag(int item, String visit) {
        String key = Switches.on("growing-cache") ? item + "/" + visit : Integer.toString(item);
        return Arrays.hashCode(Arrays.copyOf(decoded.computeIfAbsent(key, any -> decode(item)), STRIPE));
    }

    private static byte[] decode(int item) {
        byte[] stripe = new byte[STRIPE];
        new Random(item).nextBytes(stripe);
        byte[] picture = new byte[BYTES];
        for (int at = 0; at < BYTES; at += STRIPE) {
            System.arraycopy(stripe, 0, picture, at, STRIPE);
        }
        return picture;
    }
}
