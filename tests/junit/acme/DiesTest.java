// SPDX-License-Identifier: Apache-2.0
package acme;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/** The last repetition ends the JVM. */
class DiesTest {
    @RepeatedTest(4)
    void works(RepetitionInfo repetition) throws InterruptedException {
        Thread.sleep(100);
        if (repetition.getCurrentRepetition() == 4)
            Runtime.getRuntime().halt(3);
    }
}
