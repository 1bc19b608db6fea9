// SPDX-License-Identifier: Apache-2.0
package acme;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/** Some repetitions fail: two with an assertion that differs in its numbers only, one with an exception. */
class AccountTest {
    static final int LOST = 4;
    static final int[] FOUND = {0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 9, 0, 0}; // by repetition

    static class Account implements AutoCloseable {
        private int balance;

        void add(int amount) throws InterruptedException {
            Thread.sleep(2);
            balance += amount;
        }

        @Override
        public void close() {
            balance = 0;
        }
    }

    @RepeatedTest(12)
    void adds(RepetitionInfo repetition) throws InterruptedException {
        int number = repetition.getCurrentRepetition();
        try (Account account = new Account()) {
            for (int i = 0; i < 20; i++)
                account.add(1);
            account.balance += FOUND[number];
            if (number == LOST)
                throw new IllegalStateException("account 7; left the bank");
            assertEquals(20, account.balance);
        }
    }
}
