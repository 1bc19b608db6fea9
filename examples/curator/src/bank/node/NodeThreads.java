/* SPDX-License-Identifier: Apache-2.0 */
package bank.node;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads that bear the name of their node: {@code Node-2-worker-1}. */
final class NodeThreads {
    private final int node;

    NodeThreads(int node) {
        this.node = node;
    }

    ThreadFactory factory(String purpose) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name(purpose) + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    ScheduledExecutorService scheduler(String purpose) {
        return Executors.newSingleThreadScheduledExecutor(factory(purpose));
    }

    String name(String purpose) {
        return "Node-" + node + "-" + purpose;
    }
}
