/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/export/dump.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "roxi/base/text_escape.h"
#include "roxi/export/dump_facts.h"
#include "schema/base/grow.h"
#include "schema/tracelog/thread_state.h"

const char *dump_time(char text[DUMP_TIME_SIZE], int64_t real_ns)
{
    int64_t seconds = real_ns / 1000000000, rest = real_ns % 1000000000;
    if (rest < 0) {
        rest += 1000000000;
        seconds--;
    }
    time_t t = (time_t)seconds;
    struct tm tm;
    if (!gmtime_r(&t, &tm)) {
        snprintf(text, DUMP_TIME_SIZE, "%" PRId64 " ns", real_ns);
        return text;
    }
    size_t used = strftime(text, DUMP_TIME_SIZE, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(text + used, DUMP_TIME_SIZE - used, ".%03dZ", (int)(rest / 1000000));
    return text;
}

/* The number of the part being read. */
static uint64_t part_of(const struct ix_log_reader *log)
{
    const char *part = ix_log_meta_value(log, IX_LOG_PART_KEY);
    const uint64_t number = part ? strtoull(part, NULL, 10) : 0;
    return number ? number : 1;
}

static void print_meta(FILE *out, const struct ix_log_reader *log)
{
    const char *key, *value;
    for (size_t i = 0; ix_log_meta_at(log, i, &key, &value); i++) {
        if (strcmp(key, IX_LOG_PART_KEY) == 0)
            continue;
        text_print(out, key);
        fputs(": ", out);
        text_print(out, value);
        fputc('\n', out);
    }
}

/* Prints nothing for a log with a single part, the normal case. */
static void print_parts(FILE *out, uint64_t first, uint64_t last)
{
    if (last > first)
        fprintf(out, "parts: %" PRIu64 " to %" PRIu64, first, last);
    else if (first > 1)
        fprintf(out, "parts: %" PRIu64, first);
    else
        return;
    if (first > 1)
        fprintf(out, "; those before are not there: removed, or not asked for");
    fputc('\n', out);
}

void dump_header(FILE *out, const struct ix_log_reader *log)
{
    print_meta(out, log);
    print_parts(out, part_of(log), part_of(log));
}

/* ---- snapshots ---- */

void dump_place(FILE *out, const struct ix_log_reader *log, struct ix_frame frame)
{
    const struct ix_method method = ix_log_method_at(log, frame.method);
    const struct ix_class class = ix_log_class_at(log, method.class_number);
    text_print(out, class.name);
    fputc('.', out);
    text_print(out, method.name);
    fputc('(', out);
    if (frame.line == IX_LINE_NATIVE)
        fputs("Native Method", out);
    else
        text_print(out, *class.source ? class.source : "Unknown Source");
}

static void print_frame(FILE *out, const struct ix_log_reader *log, struct ix_frame frame)
{
    fputs("    at ", out);
    dump_place(out, log, frame);
    if (frame.line == IX_LINE_COMPILED)
        fputs(", compiled", out);
    else if (frame.line >= 0)
        fprintf(out, ":%" PRId32, frame.line);
    fputs(")\n", out);
}

static void print_stack(FILE *out, const struct ix_log_reader *log, const struct dump_locks *locks,
                        const struct ix_entry *entry)
{
    uint32_t stack = entry->stack;
    dump_locks_at(out, log, locks, entry->thread, -1);
    for (int32_t depth = 0; stack > IX_STACK_CUT; stack = ix_log_stack_parent(log, stack)) {
        print_frame(out, log, ix_log_frame_at(log, ix_log_stack_frame(log, stack)));
        dump_locks_at(out, log, locks, entry->thread, depth++);
    }
    if (stack == IX_STACK_CUT)
        fputs("    ... callers cut off by the depth limit\n", out);
    dump_locks_at(out, log, locks, entry->thread, DUMP_SYNCHRONIZERS);
}

static void print_thread(FILE *out, const struct ix_log_reader *log, const struct dump_locks *locks,
                         const struct ix_entry *entry)
{
    struct ix_thread t = ix_log_thread_at(log, entry->thread);
    const bool is_virtual = t.flags & IX_THREAD_VIRTUAL;
    fputs("\n\"", out);
    text_print(out, t.name);
    if (is_virtual && !*t.name) /* most have no name */
        fprintf(out, "virtual-%" PRIu64, t.id);
    fprintf(out, "\" #%" PRIu64 " start %" PRIu64 " group ", t.id, t.start);
    text_print(out, t.group);
    if (t.priority != IX_PRIORITY_UNKNOWN)
        fprintf(out, " prio %" PRId32, t.priority);
    fprintf(out, "%s%s%s\n", t.flags & IX_THREAD_DAEMON ? " daemon" : "",
            is_virtual ? " virtual" : "",
            t.flags & IX_THREAD_LEFT ? ", left behind by an earlier test" : "");
    fprintf(out, "  %s%s%s%s\n", ix_thread_state_words(entry->state),
            entry->state & IX_THREAD_IN_NATIVE ? ", in native code" : "",
            entry->state & IX_THREAD_SUSPENDED ? ", suspended" : "",
            entry->state & IX_THREAD_INTERRUPTED ? ", interrupted" : "");
    print_stack(out, log, locks, entry);
}

static void print_head(FILE *out, const struct ix_snapshot *snapshot)
{
    char when[DUMP_TIME_SIZE];
    fprintf(out, "packet %" PRIu64 ": %zu threads", snapshot->packet, snapshot->count);
    /* An imported log has neither a wall clock time nor a stop length. */
    if (snapshot->real_ns)
        fprintf(out, ", %s", dump_time(when, snapshot->real_ns));
    if (snapshot->stop_ns)
        fprintf(out, ", stopped for %.3f ms", (double)snapshot->stop_ns / 1e6);
    if (snapshot->missed)
        fprintf(out, ", %" PRIu64 " threads missed", snapshot->missed);
    fprintf(out, ", monotonic clock %" PRId64 " ns\n", snapshot->mono_ns);
}

int dump_snapshot(FILE *out, const struct ix_log_reader *log, const struct ix_snapshot *snapshot,
                  struct ix_error *err)
{
    const struct ix_facts facts = ix_log_facts(log);
    struct dump_locks locks;
    int status = dump_locks_sort(&locks, &facts);
    if (status == 0) {
        print_head(out, snapshot);
        dump_facts(out, log, &facts);
        status = dump_deadlocks(out, log, &locks);
    }
    if (status == 0) {
        for (size_t i = 0; i < snapshot->count; i++)
            print_thread(out, log, &locks, &snapshot->entries[i]);
    } else {
        ix_fail(err, "out of memory");
    }
    dump_locks_free(&locks);
    return status;
}

void dump_rest(FILE *out, const struct ix_log_reader *log)
{
    const struct ix_facts facts = ix_log_facts(log);
    if (!facts.exception_count && !facts.first_count && !facts.invocation_count &&
        !facts.covered_count)
        return;
    fputs("\nafter the last packet:\n", out);
    dump_invocations(out, log, &facts);
    dump_covered(out, log, &facts);
    dump_exceptions(out, log, &facts);
}

/* ---- summary ---- */

struct totals {
    uint64_t snapshots, first, last;
    uint64_t first_part, last_part; /* their numbers */
    uint32_t part; /* part to which the following numbers belong, added up at its end: */
    uint32_t part_threads, part_frames, part_methods;
    uint64_t all_threads, all_frames, all_methods;
    uint64_t threads, missed; /* summed over snapshots */
    uint64_t longest_stop;    /* ns */
    double stop_sum;          /* ns */
    uint32_t *seen;           /* by stack number: the last part, + 1, in which a thread was in it */
    size_t seen_cap;
    uint64_t stacks; /* number of those stacks */
};

/* Unchanged threads are in stacks that are counted already. */
static int add_stacks(struct totals *sum, const struct ix_log_reader *log,
                      const struct ix_snapshot *s, struct ix_error *err)
{
    const struct ix_changes changes = ix_log_changes(log);
    const uint32_t here = ix_log_part(log) + 1;
    size_t before = sum->seen_cap, count = ix_log_stack_count(log);
    uint32_t *seen = ix_grow(sum->seen, &sum->seen_cap, count, sizeof *seen);
    if (!seen)
        return ix_fail(err, "out of memory");
    sum->seen = seen;
    memset(seen + before, 0, (sum->seen_cap - before) * sizeof *seen);
    for (size_t i = 0; i < changes.set_count; i++) {
        uint32_t *stack = &seen[s->entries[changes.set[i]].stack];
        sum->stacks += *stack != here;
        *stack = here;
    }
    return 0;
}

/* Counts a part's definitions at its end. */
static void add_part(struct totals *sum, const struct ix_log_reader *log)
{
    if (sum->snapshots == 0)
        sum->first_part = part_of(log);
    sum->last_part = part_of(log);
    if (ix_log_part(log) != sum->part) {
        sum->all_threads += sum->part_threads;
        sum->all_frames += sum->part_frames;
        sum->all_methods += sum->part_methods;
        sum->part = ix_log_part(log);
    }
    sum->part_threads = ix_log_thread_count(log) - 1;
    sum->part_frames = ix_log_frame_count(log) - 1;
    sum->part_methods = ix_log_method_count(log) - 1;
}

static int add_snapshot(struct totals *sum, const struct ix_log_reader *log,
                        const struct ix_snapshot *s, struct ix_error *err)
{
    if (add_stacks(sum, log, s, err) != 0)
        return -1;
    add_part(sum, log);
    if (sum->snapshots++ == 0)
        sum->first = s->packet;
    sum->last = s->packet;
    sum->threads += s->count;
    sum->missed += s->missed;
    sum->stop_sum += (double)s->stop_ns;
    if (s->stop_ns > sum->longest_stop)
        sum->longest_stop = s->stop_ns;
    return 0;
}

static void print_totals(FILE *out, const struct ix_log_reader *log, const struct totals *sum)
{
    uint64_t bytes = ix_log_reader_offset(log);
    if (sum->snapshots == 0) {
        fprintf(out, "snapshots: none\nbytes: %" PRIu64 "\n", bytes);
        return;
    }
    double n = (double)sum->snapshots;
    /* A thread, frame or stack that occurs in several parts is counted in each. */
    const char *at_most = sum->part ? "at most " : "";
    print_parts(out, sum->first_part, sum->last_part);
    fprintf(out, "packets: %" PRIu64 " to %" PRIu64 ", %" PRIu64 " snapshots\n", sum->first,
            sum->last, sum->snapshots);
    fprintf(out, "threads: %s%" PRIu64 " different, %.1f in a snapshot, %" PRIu64 " missed\n",
            at_most, sum->all_threads + sum->part_threads, (double)sum->threads / n, sum->missed);
    fprintf(out,
            "call stacks: %s%" PRIu64 " different, of %" PRIu64 " different frames, %" PRIu64
            " methods\n",
            at_most, sum->stacks, sum->all_frames + sum->part_frames,
            sum->all_methods + sum->part_methods);
    if (sum->longest_stop)
        fprintf(out, "stop: %.3f ms on average, %.3f ms at most\n", sum->stop_sum / n / 1e6,
                (double)sum->longest_stop / 1e6);
    fprintf(out, "bytes: %" PRIu64 ", %.1f a snapshot\n", bytes, (double)bytes / n);
}

int dump_summary(FILE *out, struct ix_log_reader *log, struct ix_error *err)
{
    struct totals sum = {0};
    struct ix_snapshot snapshot;
    int rc;
    while ((rc = ix_log_next(log, &snapshot, err)) == 1)
        if ((rc = add_snapshot(&sum, log, &snapshot, err)) != 0)
            break;
    if (rc == 0) {
        print_meta(out, log);
        print_totals(out, log, &sum);
    }
    free(sum.seen);
    return rc;
}
