/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.army;

import common.Journal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.rmi.RemoteException;

/** Another general, and the way to him: calls are repeated until they succeed or are no longer worth it. */
public final class Ally {
    /** A call to a general. */
    public interface Call<T> {
        T to(General general) throws RemoteException;
    }

    /** A call that nothing comes back from. */
    public interface Message {
        void to(General general) throws RemoteException;
    }

    private static final long FIRST_PAUSE_MILLIS = 40;
    private static final long LONGEST_PAUSE_MILLIS = 320;

    private final int number;
    private final Path portFile;
    private final Journal journal;
    private volatile General general;

    Ally(int number, Path directory, Journal journal) {
        this.number = number;
        this.portFile = portFile(directory, number);
        this.journal = journal;
    }

    /** Where a general writes the port of his registry. */
    static Path portFile(Path directory, int general) {
        return directory.resolve("port-" + Army.name(general).toLowerCase(java.util.Locale.ROOT).replace(' ', '-'));
    }

    public int number() {
        return number;
    }

    public String name() {
        return Army.name(number);
    }

    /**
     * Calls the general, and again after pauses that double, as long as the budget lasts; at least once.
     *
     * @throws UnreachableException when it did not succeed in that time
     */
    public <T> T ask(String what, long budgetMillis, Call<T> call) throws UnreachableException, InterruptedException {
        long end = System.nanoTime() + budgetMillis * 1_000_000;
        for (long pause = FIRST_PAUSE_MILLIS;; pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS)) {
            try {
                return call.to(general());
            } catch (RemoteException | RuntimeException e) {
                // A stream with swapped bytes can end in unchecked exceptions, such as a ClassCastException.
                // The stub at hand may be what was damaged.
                general = null;
                journal.count("retries", 1);
                journal.event("failure", what + " to " + name() + ": " + e);
                if (System.nanoTime() + pause * 1_000_000 >= end) {
                    throw new UnreachableException(name() + ": " + what, e);
                }
            }
            Thread.sleep(pause);
        }
    }

    private General general() throws RemoteException {
        General found = general;
        if (found == null) {
            found = Rmi.find(port());
            general = found;
        }
        return found;
    }

    private int port() throws RemoteException {
        try {
            return Integer.parseInt(Files.readString(portFile).trim());
        } catch (IOException e) {
            throw new RemoteException(name() + " has not written " + portFile.getFileName() + " yet", e);
        }
    }
}
