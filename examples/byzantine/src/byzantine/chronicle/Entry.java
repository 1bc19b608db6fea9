/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.chronicle;

import java.util.concurrent.CountDownLatch;

/** A line of the chronicle on its way to the file. */
final class Entry {
    private final String line;
    private final CountDownLatch written = new CountDownLatch(1);

    Entry(String line) {
        this.line = line;
    }

    String line() {
        return line;
    }

    void markWritten() {
        written.countDown();
    }

    void awaitWritten() throws InterruptedException {
        written.await();
    }
}
