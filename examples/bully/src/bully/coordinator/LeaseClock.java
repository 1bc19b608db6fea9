/* SPDX-License-Identifier: Apache-2.0 */
package bully.coordinator;

import common.Journal;

/** Ends leases when their time is up, on a thread that lives as long as its client is in office. */
final class LeaseClock implements Runnable {
    private static final long TICK_MILLIS = 100;

    private final Leases leases;
    private final Journal journal;

    private LeaseClock(Leases leases, Journal journal) {
        this.leases = leases;
        this.journal = journal;
    }

    static Thread start(Leases leases, Journal journal) {
        Thread thread = new Thread(new LeaseClock(leases, journal), "Lease clock");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    @Override
    public void run() {
        try {
            while (true) {
                tick();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void tick() throws InterruptedException {
        Thread.sleep(TICK_MILLIS);
        for (Task task : leases.expire(System.nanoTime())) {
            journal.event("lease-expired", task.toString());
        }
    }
}
