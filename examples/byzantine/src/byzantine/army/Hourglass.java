/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.army;

import common.fault.Defect;
import java.util.Timer;
import java.util.TimerTask;

/** Runs something when time is up, unless it is stopped before. One use, one timer, one thread. */
final class Hourglass {
    private final Timer timer = new Timer("Hourglass", true);

    Hourglass(long millis, Runnable when) {
        timer.schedule(new TimerTask() {
            @Override
            public void run() {
                when.run();
            }
        }, millis);
    }

    /** Ends the thread as well. */
    void stop() {
        if (!Defect.strikes("leak", "hourglass")) {
            timer.cancel();
        }
    }
}
