/* SPDX-License-Identifier: Apache-2.0 */
package bully.messaging;

import common.Journal;
import java.rmi.RemoteException;

/** Tries a remote operation until it works or there is no more hope, with pauses that double. */
public final class Retry {
    /** A remote operation. Must be harmless when done twice: a failure does not tell how far it came. */
    public interface Operation<T> {
        T perform() throws RemoteException, DeliveryException;
    }

    private static final long FIRST_PAUSE_MILLIS = 100;
    private static final long LONGEST_PAUSE_MILLIS = 800;

    private final Journal journal;
    private final Runnable reconnect;

    /** @param reconnect is run when an operation has failed twice in a row */
    public Retry(Journal journal, Runnable reconnect) {
        this.journal = journal;
        this.reconnect = reconnect;
    }

    /** @throws DeliveryException when the operation failed so many times */
    public <T> T attempt(String what, int times, Operation<T> operation) throws DeliveryException {
        for (int failures = 0;;) {
            try {
                return operation.perform();
            } catch (RemoteException | RuntimeException e) {
                // A stream with swapped bytes can end in unchecked exceptions, such as a ClassCastException.
                failures++;
                journal.count("retries", 1);
                journal.event("failure", what + ", " + failures + " of " + times + ": " + e);
                if (failures >= times) {
                    throw new DeliveryException(what + " failed " + times + " times", e);
                }
            }
            backOff(failures);
            if (failures >= 2) {
                reconnect.run();
            }
        }
    }

    private void backOff(int failures) throws DeliveryException {
        try {
            Thread.sleep(Math.min(FIRST_PAUSE_MILLIS << (failures - 1), LONGEST_PAUSE_MILLIS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DeliveryException("interrupted between two attempts", e);
        }
    }
}
