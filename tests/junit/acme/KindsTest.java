/* SPDX-License-Identifier: Apache-2.0 */
package acme;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A test of each kind; each lasts for some packets. */
class KindsTest {
    private static final int MS = 200;

    @Test
    void passes() throws InterruptedException {
        for (int i = 0; i < 5; i++) {
            Thread left = new Thread(KindsTest::stay, "left-" + i);
            left.setDaemon(true);
            left.start();
        }
        Thread ended = new Thread(() -> { });
        ended.start();
        ended.join();
        Thread.sleep(MS);
    }

    @Test
    void fails() throws InterruptedException {
        Thread.sleep(MS);
        assertEquals(1, 2, "two\nlines");
    }

    @Test
    void aborts() throws InterruptedException {
        Thread.sleep(MS);
        assumeTrue(false);
    }

    @RepeatedTest(3)
    void repeats() throws InterruptedException {
        Thread.sleep(MS);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void takes(int n) throws InterruptedException {
        Thread.sleep(MS);
        assertEquals(1, n);
    }

    private static void stay() {
        try {
            Thread.sleep(600_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
