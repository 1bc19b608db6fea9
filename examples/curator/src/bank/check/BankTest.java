/* SPDX-License-Identifier: Apache-2.0 */
package bank.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import bank.plan.Plan;
import bank.plan.Transfer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Four nodes keep accounts in an ensemble; each test is a clause of README.md. */
class BankTest {
    private static final long REQUESTS_EACH = 39;
    private static final long REQUESTS_A_SECOND = 100;
    private static final long MOST_MEGABYTES = 20;

    private static final Workload WORKLOAD = new Workload();

    @BeforeAll
    static void work() throws Exception {
        WORKLOAD.run();
    }

    @Test
    void allBatchesAreDone() {
        assertEquals(WORKLOAD.plan.size(), WORKLOAD.outcome.batches(), "batches");
    }

    @Test
    void eachTransferIsBookedOnce() {
        List<Integer> booked = entries().stream().map(entry -> entry.transfer().id()).sorted().toList();
        assertEquals(planned(), booked, "bookings");
    }

    @Test
    void eachAccountIsInOrder() {
        WORKLOAD.outcome.entries().forEach(list -> {
            List<Integer> booked = list.stream().map(entry -> entry.transfer().id()).toList();
            assertEquals(booked.stream().sorted().toList(), booked, "bookings in their order");
        });
    }

    @Test
    void eachFeeIsThatOfTheBatch() {
        entries().forEach(entry -> assertEquals(
                Plan.fee(entry.transfer().amount(), WORKLOAD.plan.permille(entry.transfer().batch())), entry.fee(),
                () -> "fee of transfer " + entry.transfer().id()));
    }

    @Test
    void eachAccountIsBookedByItsOwner() {
        entries().forEach(entry -> assertEquals(Plan.owner(entry.transfer().from()), entry.node(),
                () -> "node that booked transfer " + entry.transfer().id()));
    }

    /** As the entries say, right or wrong. */
    @Test
    void balancesAreWhatWasBooked() {
        Long[] balances = new Long[Plan.ACCOUNTS];
        Arrays.fill(balances, Plan.OPENING);
        entries().forEach(entry -> {
            Transfer transfer = entry.transfer();
            balances[transfer.from()] -= transfer.amount() + entry.fee();
            balances[transfer.to()] += transfer.amount();
        });
        assertEquals(List.of(balances), WORKLOAD.outcome.balances(), "balances");
    }

    @Test
    void eachBookingIsAudited() {
        assertEquals(planned(), WORKLOAD.outcome.audited(), "audited transfers");
    }

    @Test
    void eachNodeKeepsItsSessions() {
        assertEquals(WORKLOAD.sessionsBefore, WORKLOAD.sessionsAfter, "sessions");
    }

    @Test
    void requestsAreFew() {
        long most = REQUESTS_EACH * WORKLOAD.plan.transfers().size()
                + REQUESTS_A_SECOND * WORKLOAD.workMillis / 1000;
        assertTrue(WORKLOAD.requests <= most, () -> WORKLOAD.requests + " requests instead of " + most);
    }

    @Test
    void memoryIsReleased() {
        assertTrue(WORKLOAD.heapMegabytes <= MOST_MEGABYTES, () -> WORKLOAD.heapMegabytes + " MB in use");
    }

    @Test
    void noThreadIsLeft() {
        assertEquals(List.of(), WORKLOAD.threadsLeft, "threads of closed nodes");
    }

    private static List<Outcome.Entry> entries() {
        List<Outcome.Entry> all = new ArrayList<>();
        WORKLOAD.outcome.entries().forEach(all::addAll);
        return all;
    }

    private static List<Integer> planned() {
        return WORKLOAD.plan.transfers().stream().map(Transfer::id).toList();
    }
}
