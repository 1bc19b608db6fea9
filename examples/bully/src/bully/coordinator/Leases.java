package bully.coordinator;

import java.util.HashMap;
import java.util.Map;

/** Which task is lent to whom and until when. A task whose client does not report is lent again. */
final class Leases {
    /** Several times what a task takes, a few retries included. */
    private static final long LEASE_NANOS = 1_500_000_000L;

    private record Lease(Task task, long request, long end) {
    }

    private final SearchState state;
    private final Map<String, Lease> byClient = new HashMap<>();
    private final Map<Integer, Long> endByTask = new HashMap<>();

    Leases(SearchState state) {
        this.state = state;
    }

    /** A task for a client, or null if all are done or lent. A repeated request gets the same task again. */
    Task lend(String client, long request) {
        Lease last = byClient.get(client);
        if (last != null && last.request() == request) {
            return last.task();
        }
        Task task = find();
        if (task != null) {
            long end = System.nanoTime() + LEASE_NANOS;
            byClient.put(client, new Lease(task, request, end));
            endByTask.put(task.index(), end);
        }
        return task;
    }

    private Task find() {
        long now = System.nanoTime();
        for (int index = 0; index < state.tasks(); index++) {
            Task task = state.task(index);
            Long end = endByTask.get(index);
            if (!state.isDone(task) && (end == null || end - now < 0)) {
                return task;
            }
        }
        return null;
    }

    void clear() {
        byClient.clear();
        endByTask.clear();
    }
}
