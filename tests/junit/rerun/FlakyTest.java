/* SPDX-License-Identifier: Apache-2.0 */
package rerun;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Passes when it is run the second time. */
class FlakyTest {
    private static int tries;

    @Test
    void passes_at_last() {
        assertTrue(++tries == 2, "the first try");
    }

    @Test
    void passes() {
    }
}
