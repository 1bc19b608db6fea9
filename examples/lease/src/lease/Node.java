/* SPDX-License-Identifier: Apache-2.0 */
package lease;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * One of two nodes that share a file, which only the holder of a lease may write to. The holder beats
 * its heart; the other one takes the lease over when it has looked for a heartbeat in vain LOOKS times.
 *
 * <p>The defect: the holder makes sure of its lease, works, and writes. If it stands still in between
 * for so long that the other one takes over, it writes without the lease. Mended, a write is refused
 * unless its term is the current one.
 *
 * <p>Arguments: the file, the node's number (0 or 1), for how many milliseconds, and "defect" or
 * "mended". Exit status 1: it wrote without the lease.
 */
public final class Node {
    private static final int OWNER = 0, TERM = 4, HEARTBEAT = 8, PRESENT = 12, SIZE = 20;
    private static final int LOOKS = 20;
    private static final long STEP_MILLIS = 5;

    private final FileChannel file;
    private final MappedByteBuffer shared;
    private final int self;
    private final boolean mended;
    private int term;
    private int seen, looks;
    private boolean wrong;

    private Node(FileChannel file, int self, boolean mended) throws IOException {
        this.file = file;
        this.shared = file.map(FileChannel.MapMode.READ_WRITE, 0, SIZE);
        this.self = self;
        this.mended = mended;
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        try (FileChannel file = FileChannel.open(Path.of(args[0]), StandardOpenOption.CREATE,
                StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            Node node = new Node(file, Integer.parseInt(args[1]), args[3].equals("mended"));
            node.awaitOther();
            node.run(Long.parseLong(args[2]));
            if (node.wrong) {
                System.out.println("node " + node.self + " wrote without the lease");
                System.exit(1);
            }
        }
    }

    private void awaitOther() throws InterruptedException {
        shared.put(PRESENT + self, (byte) 1);
        while (shared.get(PRESENT + 1 - self) == 0) {
            Thread.sleep(STEP_MILLIS);
        }
    }

    private void run(long millis) throws IOException, InterruptedException {
        long end = System.nanoTime() + millis * 1_000_000;
        while (System.nanoTime() < end && !wrong) {
            if (holdsLease()) {
                shared.putInt(HEARTBEAT, shared.getInt(HEARTBEAT) + 1);
                Thread.sleep(STEP_MILLIS); // the work
                write();
            } else {
                Thread.sleep(STEP_MILLIS);
                look();
            }
        }
    }

    private boolean holdsLease() {
        return term > 0 && shared.getInt(OWNER) == self && shared.getInt(TERM) == term;
    }

    /** Takes the lease if the other node's heart has not been beating for long enough. */
    @SuppressWarnings("try") // the lock is only held
    private void look() throws IOException {
        int beat = shared.getInt(HEARTBEAT);
        looks = beat == seen ? looks + 1 : 0;
        seen = beat;
        if (looks < LOOKS) {
            return;
        }
        try (FileLock lock = file.lock()) {
            if (shared.getInt(HEARTBEAT) == seen) {
                term = shared.getInt(TERM) + 1;
                shared.putInt(TERM, term);
                shared.putInt(OWNER, self);
                shared.putInt(HEARTBEAT, seen + 1);
            }
        }
        looks = 0;
    }

    @SuppressWarnings("try")
    private void write() throws IOException {
        try (FileLock lock = file.lock()) {
            if (!holdsLease() && !mended) {
                wrong = true;
            }
        }
    }
}
