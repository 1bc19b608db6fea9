/* SPDX-License-Identifier: Apache-2.0 */
package acme;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests with time-outs. */
class LimitsTest {
    @Test
    @Timeout(value = 800, unit = TimeUnit.MILLISECONDS)
    void times_out() throws InterruptedException {
        Thread.sleep(600_000);
    }

    @Test
    @Timeout(60)
    void ends() throws InterruptedException {
        Thread.sleep(50);
    }
}
