/* SPDX-License-Identifier: Apache-2.0 */
package acme;

import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Two tests that must run at the same time. */
class MeetTest {
    private static final CyclicBarrier BOTH = new CyclicBarrier(2);

    @Test
    void one() throws Exception {
        BOTH.await(60, TimeUnit.SECONDS);
    }

    @Test
    void other() throws Exception {
        BOTH.await(60, TimeUnit.SECONDS);
    }
}
