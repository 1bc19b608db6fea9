/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/export/dump_facts.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "roxi/base/platform.h"
#include "roxi/base/text_escape.h"

/* ---- locks ---- */

static int32_t depth_of(const struct ix_lock *lock)
{
    if (lock->kind == IX_LOCK_OWNS_SYNCHRONIZER)
        return DUMP_SYNCHRONIZERS;
    return lock->kind == IX_LOCK_OWNS ? lock->depth : -1;
}

/* What the thread waits for until another releases it. */
static bool is_blocked(const struct ix_lock *lock)
{
    return lock->kind == IX_LOCK_ENTERS || lock->kind == IX_LOCK_PARKED;
}

static bool owns(const struct ix_lock *lock)
{
    return lock->kind == IX_LOCK_OWNS || lock->kind == IX_LOCK_OWNS_SYNCHRONIZER;
}

/* At the same depth the lock that the thread waits for comes first. */
static int order_of(const struct ix_lock *lock)
{
    if (owns(lock))
        return 2;
    return is_blocked(lock) ? 1 : 0;
}

static int by_thread(const void *left, const void *right)
{
    const struct ix_lock *a = *(const struct ix_lock *const *)left;
    const struct ix_lock *b = *(const struct ix_lock *const *)right;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (depth_of(a) != depth_of(b))
        return depth_of(a) < depth_of(b) ? -1 : 1;
    if (order_of(a) != order_of(b))
        return order_of(a) < order_of(b) ? -1 : 1;
    return (a->object > b->object) - (a->object < b->object);
}

static int by_object(const void *left, const void *right)
{
    const struct ix_lock *a = *(const struct ix_lock *const *)left;
    const struct ix_lock *b = *(const struct ix_lock *const *)right;
    if (a->object != b->object)
        return a->object < b->object ? -1 : 1;
    return (a->thread > b->thread) - (a->thread < b->thread);
}

int dump_locks_sort(struct dump_locks *locks, const struct ix_facts *facts)
{
    *locks = (struct dump_locks){0};
    if (!facts->lock_count)
        return 0;
    locks->by_thread = calloc(facts->lock_count, sizeof(struct ix_lock *));
    locks->owners = calloc(facts->lock_count, sizeof(struct ix_lock *));
    if (!locks->by_thread || !locks->owners)
        return -1;
    for (size_t i = 0; i < facts->lock_count; i++) {
        locks->by_thread[locks->count++] = &facts->locks[i];
        if (owns(&facts->locks[i]))
            locks->owners[locks->owner_count++] = &facts->locks[i];
    }
    qsort(locks->by_thread, locks->count, sizeof(struct ix_lock *), by_thread);
    qsort(locks->owners, locks->owner_count, sizeof(struct ix_lock *), by_object);
    return 0;
}

void dump_locks_free(struct dump_locks *locks)
{
    free(locks->by_thread);
    free(locks->owners);
}

/* Index of the first of the thread's locks at that depth or a larger one. */
static size_t first_at(const struct dump_locks *locks, uint32_t thread, int32_t depth)
{
    size_t low = 0, high = locks->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct ix_lock *lock = locks->by_thread[middle];
        if (lock->thread < thread || (lock->thread == thread && depth_of(lock) < depth))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void print_object(FILE *out, const struct ix_log_reader *log, const struct ix_lock *lock)
{
    fprintf(out, "<0x%" PRIx64 "> ", lock->object);
    text_print(out, ix_log_class_at(log, lock->class_number).name);
}

void dump_locks_at(FILE *out, const struct ix_log_reader *log, const struct dump_locks *locks,
                   uint32_t thread, int32_t depth)
{
    static const char *const words[] = {[IX_LOCK_OWNS] = "owns",
                                        [IX_LOCK_ENTERS] = "blocked on",
                                        [IX_LOCK_WAITS] = "waiting on",
                                        [IX_LOCK_PARKED] = "parked on",
                                        [IX_LOCK_OWNS_SYNCHRONIZER] = "owns"};
    for (size_t i = first_at(locks, thread, depth); i < locks->count; i++) {
        const struct ix_lock *lock = locks->by_thread[i];
        if (lock->thread != thread || depth_of(lock) != depth)
            break;
        fprintf(out, "    - %s ", words[lock->kind]);
        print_object(out, log, lock);
        fputc('\n', out);
    }
}

/* ---- deadlocks ---- */

/* Index of the first lock that the thread is blocked on; SIZE_MAX: it is not blocked. Only locks
 * that it waits on come before that. */
static size_t blocked_at(const struct dump_locks *locks, uint32_t thread)
{
    size_t low = 0, high = locks->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct ix_lock *lock = locks->by_thread[middle];
        if (lock->thread < thread || (lock->thread == thread && lock->kind == IX_LOCK_WAITS))
            low = middle + 1;
        else
            high = middle;
    }
    const bool found = low < locks->count && locks->by_thread[low]->thread == thread &&
                       is_blocked(locks->by_thread[low]);
    return found ? low : SIZE_MAX;
}

/* The thread that owns the object; 0 if none does. */
static uint32_t owner_of(const struct dump_locks *locks, uint64_t object)
{
    size_t low = 0, high = locks->owner_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (locks->owners[middle]->object < object)
            low = middle + 1;
        else
            high = middle;
    }
    const bool found = low < locks->owner_count && locks->owners[low]->object == object;
    return found ? locks->owners[low]->thread : 0;
}

/* From the index at which a thread is blocked to that at which the lock's owner is blocked, if
 * it is. */
static size_t next_blocked(const struct dump_locks *locks, size_t at)
{
    return blocked_at(locks, owner_of(locks, locks->by_thread[at]->object));
}

static void print_ring(FILE *out, const struct ix_log_reader *log, const struct dump_locks *locks,
                       size_t first)
{
    fputs("\ndeadlock:", out);
    size_t at = first;
    do {
        const struct ix_lock *lock = locks->by_thread[at];
        fputs("\n  \"", out);
        text_print(out, ix_log_thread_at(log, lock->thread).name);
        fputs("\" is blocked on ", out);
        print_object(out, log, lock);
        fputs(", which is owned by \"", out);
        at = next_blocked(locks, at);
        text_print(out, ix_log_thread_at(log, locks->by_thread[at]->thread).name);
        fputc('"', out);
    } while (at != first);
    fputc('\n', out);
}

/* Follows who waits for whom from the lock at `from`, until it meets an earlier walk. If it
 * meets itself there is a cycle: returns the index of the cycle's lowest thread, else SIZE_MAX. */
static size_t find_ring(const struct dump_locks *locks, size_t from, size_t *walks)
{
    size_t at = from;
    while (at != SIZE_MAX && !walks[at]) {
        walks[at] = from + 1;
        at = next_blocked(locks, at);
    }
    if (at == SIZE_MAX || walks[at] != from + 1)
        return SIZE_MAX;
    size_t lowest = at;
    for (size_t next = next_blocked(locks, at); next != at; next = next_blocked(locks, next))
        if (next < lowest)
            lowest = next;
    return lowest;
}

int dump_deadlocks(FILE *out, const struct ix_log_reader *log, const struct dump_locks *locks)
{
    size_t *walks = calloc(locks->count + 1, sizeof *walks);
    bool *begins_ring = calloc(locks->count + 1, sizeof *begins_ring);
    const int result = walks && begins_ring ? 0 : -1;
    for (size_t i = 0; result == 0 && i < locks->count; i++) {
        const bool blocked = blocked_at(locks, locks->by_thread[i]->thread) == i;
        const size_t ring = blocked && !walks[i] ? find_ring(locks, i, walks) : SIZE_MAX;
        if (ring != SIZE_MAX)
            begins_ring[ring] = true;
    }
    for (size_t i = 0; result == 0 && i < locks->count; i++)
        if (begins_ring[i])
            print_ring(out, log, locks, i);
    free(walks);
    free(begins_ring);
    return result;
}

/* ---- all else ---- */

static void print_quoted(FILE *out, const struct ix_log_reader *log, uint32_t thread)
{
    putc('"', out);
    text_print(out, ix_log_thread_at(log, thread).name);
    putc('"', out);
}

static void print_place(FILE *out, const struct ix_log_reader *log, uint32_t number)
{
    const struct ix_frame frame = ix_log_frame_at(log, number);
    const struct ix_method method = ix_log_method_at(log, frame.method);
    text_print(out, ix_log_class_at(log, method.class_number).name);
    fputc('.', out);
    text_print(out, method.name);
    if (frame.line >= 0)
        fprintf(out, ":%" PRId32, frame.line);
}

static void print_exception(FILE *out, const struct ix_log_reader *log,
                            const struct ix_exception *exception)
{
    fprintf(out, "exception: %" PRIu64 " times ", exception->count);
    text_print(out, ix_log_class_at(log, exception->class_number).name);
    fputs(" at ", out);
    print_place(out, log, exception->frame);
    if (exception->thread) {
        fputs(" in ", out);
        print_quoted(out, log, exception->thread);
    }
    fputc('\n', out);
}

static void print_first(FILE *out, const struct ix_log_reader *log, const struct ix_first *first)
{
    fputs("first exception: ", out);
    text_print(out, ix_log_class_at(log, first->class_number).name);
    if (first->stack > IX_STACK_CUT) {
        fputs(" at ", out);
        print_place(out, log, ix_log_stack_frame(log, first->stack));
    }
    if (first->thread) {
        fputs(" in ", out);
        print_quoted(out, log, first->thread);
    }
    fputc('\n', out);
}

static void print_addresses(FILE *out, const char *local, const char *remote)
{
    if (*local)
        putc(' ', out);
    text_print(out, local);
    if (*remote)
        fputs(" -> ", out);
    text_print(out, remote);
    putc('\n', out);
}

static void print_traffic(FILE *out, const struct ix_traffic *t)
{
    fprintf(out,
            "traffic: sent %" PRIu64 " (%" PRIu64 " bytes), received %" PRIu64 " (%" PRIu64
            " bytes), %" PRIu64 " bytes unread,",
            t->sent, t->sent_bytes, t->received, t->received_bytes, t->unread);
    print_addresses(out, t->local, t->remote);
}

static void print_connections(FILE *out, const struct ix_log_reader *log,
                              const struct ix_connections *c)
{
    static const char *const kinds[] = {"read", "write", "accept", "connect", "poll"};
    static const char *const states[] = {"closed", "open", "listens"};
    for (size_t i = 0; i < c->wait_count; i++) {
        fputs("wait: ", out);
        print_quoted(out, log, c->waits[i].thread);
        fprintf(out, " in %s", kinds[c->waits[i].kind]);
        print_addresses(out, c->waits[i].local, c->waits[i].remote);
    }
    for (size_t i = 0; i < c->join_count; i++) {
        fputs("wait: ", out);
        print_quoted(out, log, c->joins[i].thread);
        fputs(" for ", out);
        print_quoted(out, log, c->joins[i].joined);
        putc('\n', out);
    }
    for (size_t i = 0; i < c->change_count; i++) {
        fprintf(out, "socket, now %s:", states[c->changes[i].state]);
        print_addresses(out, c->changes[i].local, c->changes[i].remote);
    }
    if (c->flags & IX_CONNECTIONS_HIDDEN)
        fputs("waits for sockets: the kernel does not tell\n", out);
    if (c->flags & IX_CONNECTIONS_PARTIAL)
        fputs("waits and sockets: some were left out\n", out);
}

void dump_exceptions(FILE *out, const struct ix_log_reader *log, const struct ix_facts *facts)
{
    for (size_t i = 0; i < facts->exception_count; i++)
        print_exception(out, log, &facts->exceptions[i]);
    if (facts->exceptions_dropped)
        fprintf(out, "exceptions not listed: %" PRIu64 "\n", facts->exceptions_dropped);
    for (size_t i = 0; i < facts->first_count; i++)
        print_first(out, log, &facts->firsts[i]);
    if (facts->firsts_dropped)
        fprintf(out, "first exceptions not listed: %" PRIu64 "\n", facts->firsts_dropped);
}

/* The innermost frame of the application, or if there is none, of all. */
static uint32_t starting_frame(const struct ix_log_reader *log, uint32_t stack)
{
    for (uint32_t s = stack; s > IX_STACK_CUT; s = ix_log_stack_parent(log, s)) {
        const uint32_t frame = ix_log_stack_frame(log, s);
        const struct ix_method m = ix_log_method_at(log, ix_log_frame_at(log, frame).method);
        if (!roxi_is_platform(ix_log_class_at(log, m.class_number).name))
            return frame;
    }
    return ix_log_stack_frame(log, stack);
}

static void print_invocation(FILE *out, const struct ix_log_reader *log,
                             const struct ix_invocations *invocations)
{
    const struct ix_method method = ix_log_method_at(log, invocations->method);
    fprintf(out, "calls: %" PRIu64 "%s of ", invocations->count,
            invocations->at_least ? " or more" : "");
    text_print(out, ix_log_class_at(log, method.class_number).name);
    putc('.', out);
    text_print(out, method.name);
    putc('\n', out);
}

void dump_invocations(FILE *out, const struct ix_log_reader *log, const struct ix_facts *facts)
{
    for (size_t i = 0; i < facts->invocation_count; i++)
        print_invocation(out, log, &facts->invocations[i]);
}

void dump_covered(FILE *out, const struct ix_log_reader *log, const struct ix_facts *facts)
{
    for (size_t i = 0; i < facts->covered_count; i++) {
        fputs("executed: ", out);
        print_place(out, log, facts->covered[i].frame);
        putc('\n', out);
    }
}

void dump_pauses(FILE *out, const struct ix_log_reader *log, const struct ix_facts *facts)
{
    for (size_t i = 0; i < facts->pause_count; i++) {
        const struct ix_pause *pause = &facts->pauses[i];
        if (pause->packets)
            fprintf(out, "not executed for %" PRIu64 " packets: ", pause->packets);
        else
            fputs("executed again: ", out);
        print_place(out, log, pause->frame);
        putc('\n', out);
    }
}

static void print_starter(FILE *out, const struct ix_log_reader *log,
                          const struct ix_starter *starter)
{
    fputs("started: ", out);
    print_quoted(out, log, starter->thread);
    if (starter->stack > IX_STACK_CUT) {
        fputs(" by ", out);
        print_place(out, log, starting_frame(log, starter->stack));
    }
    fputc('\n', out);
}

void dump_facts(FILE *out, const struct ix_log_reader *log, const struct ix_facts *facts)
{
    const struct ix_process *p = &facts->process;
    if (facts->has_virtual)
        fprintf(out, "virtual threads not shown: %" PRIu64 "\n", facts->virtual_hidden);
    if (facts->has_process)
        fprintf(out,
                "process: %.3f s of processor time, %" PRIu64 " KiB resident, %" PRIu64
                " descriptors, %" PRIu64 " garbage collections in %.3f s\n",
                (double)p->cpu_ns / 1e9, p->rss_bytes / 1024, p->descriptors, p->gc_count,
                (double)p->gc_ns / 1e9);
    for (size_t i = 0; i < facts->starter_count; i++)
        print_starter(out, log, &facts->starters[i]);
    for (size_t i = 0; i < facts->turn_count; i++) {
        fprintf(out, "turns on a processor: %" PRIu64 " of ", facts->turns[i].turns);
        print_quoted(out, log, facts->turns[i].thread);
        fputc('\n', out);
    }
    dump_invocations(out, log, facts);
    dump_covered(out, log, facts);
    dump_pauses(out, log, facts);
    dump_exceptions(out, log, facts);
    for (size_t i = 0; i < facts->traffic_count; i++)
        print_traffic(out, &facts->traffic[i]);
    print_connections(out, log, &facts->connections);
}
