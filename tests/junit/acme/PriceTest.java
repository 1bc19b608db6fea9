// SPDX-License-Identifier: Apache-2.0
package acme;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** One repetition takes a branch that the others do not, which an earlier test has taken, and nothing checks that. */
@TestMethodOrder(OrderAnnotation.class)
class PriceTest {
    static final int ODD = 12;

    static int price(int item) throws InterruptedException {
        Thread.sleep(3);
        if (item < 0)
            return -item; // refund
        return 3 * item;
    }

    @Test
    @Order(1)
    void refunds() throws InterruptedException {
        for (int i = 1; i < 10; i++)
            assertTrue(price(-i) == i);
    }

    @RepeatedTest(20)
    @Order(2)
    void adds(RepetitionInfo repetition) throws InterruptedException {
        int sum = 0;
        for (int i = 0; i < 30; i++)
            sum += price(repetition.getCurrentRepetition() == ODD && i == 15 ? -i : i);
        assertTrue(sum > 0);
    }
}
