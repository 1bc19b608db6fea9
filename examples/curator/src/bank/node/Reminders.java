/* SPDX-License-Identifier: Apache-2.0 */
package bank.node;

import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts the bookings that take too long. */
final class Reminders {
    private static final long SLOW_MILLIS = 2000;

    private final String name;
    private final Timer shared;
    private final Profile profile;
    private final AtomicInteger slow = new AtomicInteger();

    Reminders(NodeThreads threads, Profile profile) {
        name = threads.name("reminder");
        this.profile = profile;
        shared = timer();
    }

    private Timer timer() {
        return new Timer(name, true);
    }

    /** To be cancelled when the booking is done. */
    TimerTask start() {
        TimerTask reminder = new TimerTask() {
            @Override
            public void run() {
                slow.incrementAndGet();
            }
        };
        Timer timer = profile.has("thread-leak") ? timer() : shared;
        timer.schedule(reminder, SLOW_MILLIS, SLOW_MILLIS);
        return reminder;
    }

    void close() {
        shared.cancel();
    }
}
