/* SPDX-License-Identifier: Apache-2.0 */
package bully.coordinator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Which task is lent to whom and until when. A task whose client does not report is lent again. */
final class Leases {
    /** Several times what a task takes, a few retries included. */
    private static final long LEASE_NANOS = 1_500_000_000L;

    private record Lease(Task task, long end) {
    }

    private record Loan(Task task, long request) {
    }

    private final SearchState state;
    private final Map<String, Loan> lastByClient = new HashMap<>();
    private final Map<Integer, Lease> byTask = new HashMap<>();

    Leases(SearchState state) {
        this.state = state;
    }

    /** A task for a client, or null if all are done or lent. A repeated request gets the same task again. */
    synchronized Task lend(String client, long request) {
        Loan last = lastByClient.get(client);
        if (last != null && last.request() == request) {
            return last.task();
        }
        Task task = findFree();
        if (task != null) {
            lastByClient.put(client, new Loan(task, request));
            byTask.put(task.index(), new Lease(task, System.nanoTime() + LEASE_NANOS));
        }
        return task;
    }

    private Task findFree() {
        for (int index = 0; index < state.tasks(); index++) {
            Task task = state.task(index);
            if (!byTask.containsKey(index) && !state.isDone(task)) {
                return task;
            }
        }
        return null;
    }

    /** Ends the leases whose time is up and returns their tasks, those apart that were done in time. */
    synchronized List<Task> expire(long now) {
        List<Task> late = new ArrayList<>();
        byTask.values().removeIf(lease -> {
            boolean over = lease.end() - now < 0;
            if (over && !state.isDone(lease.task())) {
                late.add(lease.task());
            }
            return over;
        });
        return late;
    }

    synchronized void clear() {
        lastByClient.clear();
        byTask.clear();
    }
}
