#include "roxi/dump.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "roxi/text_escape.h"
#include "schema/grow.h"

/* JVMTI thread state bits (JVM Tool Interface, GetThreadState). */
enum state_bit {
    ALIVE = 0x1,
    TERMINATED = 0x2,
    RUNNABLE = 0x4,
    WITH_TIMEOUT = 0x20,
    SLEEPING = 0x40,
    WAITING = 0x80,
    OBJECT_WAIT = 0x100,
    PARKED = 0x200,
    BLOCKED = 0x400,
    SUSPENDED = 0x100000,
    INTERRUPTED = 0x200000,
    IN_NATIVE = 0x400000,
};

static const struct state_words {
    uint32_t bits; /* all of them are set */
    const char *words;
} states[] = {
    /* The first that fits counts. */
    {TERMINATED, "TERMINATED"},
    {BLOCKED, "BLOCKED (on object monitor)"},
    {RUNNABLE, "RUNNABLE"},
    {SLEEPING, "TIMED_WAITING (sleeping)"},
    {OBJECT_WAIT | WITH_TIMEOUT, "TIMED_WAITING (on object monitor)"},
    {PARKED | WITH_TIMEOUT, "TIMED_WAITING (parked)"},
    {WAITING | WITH_TIMEOUT, "TIMED_WAITING"},
    {OBJECT_WAIT, "WAITING (on object monitor)"},
    {PARKED, "WAITING (parked)"},
    {WAITING, "WAITING"},
    {ALIVE, "ALIVE"},
    {0, "NEW"},
};

const char *dump_state(uint32_t state)
{
    size_t i = 0;
    while ((state & states[i].bits) != states[i].bits)
        i++;
    return states[i].words;
}

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

void dump_header(FILE *out, const struct ix_log_reader *log)
{
    const char *key, *value;
    for (size_t i = 0; ix_log_meta_at(log, i, &key, &value); i++) {
        text_print(out, key);
        fputs(": ", out);
        text_print(out, value);
        fputc('\n', out);
    }
}

/* ---- snapshots ---- */

static void print_place(FILE *out, const char *source, int32_t line)
{
    if (line == IX_LINE_NATIVE) {
        fputs("(Native Method)", out);
        return;
    }
    fputc('(', out);
    text_print(out, *source ? source : "Unknown Source");
    if (line == IX_LINE_COMPILED)
        fputs(", compiled", out);
    else if (line >= 0)
        fprintf(out, ":%" PRId32, line);
    fputc(')', out);
}

static void print_frame(FILE *out, const struct ix_log_reader *log, struct ix_frame frame)
{
    struct ix_method method = ix_log_method_at(log, frame.method);
    struct ix_class class = ix_log_class_at(log, method.class_number);
    fputs("    at ", out);
    text_print(out, class.name);
    fputc('.', out);
    text_print(out, method.name);
    print_place(out, class.source, frame.line);
    fputc('\n', out);
}

static void print_stack(FILE *out, const struct ix_log_reader *log, uint32_t stack)
{
    for (; stack > IX_STACK_CUT; stack = ix_log_stack_parent(log, stack))
        print_frame(out, log, ix_log_frame_at(log, ix_log_stack_frame(log, stack)));
    if (stack == IX_STACK_CUT)
        fputs("    ... callers cut off by the depth limit\n", out);
}

static void print_thread(FILE *out, const struct ix_log_reader *log, const struct ix_entry *entry)
{
    struct ix_thread t = ix_log_thread_at(log, entry->thread);
    fputs("\n\"", out);
    text_print(out, t.name);
    fprintf(out, "\" #%" PRIu64 " start %" PRIu64 " group ", t.id, t.start);
    text_print(out, t.group);
    if (t.priority != IX_PRIORITY_UNKNOWN)
        fprintf(out, " prio %" PRId32, t.priority);
    fputs(t.flags & IX_THREAD_DAEMON ? " daemon\n" : "\n", out);
    fprintf(out, "  %s%s%s%s\n", dump_state(entry->state),
            entry->state & IN_NATIVE ? ", in native code" : "",
            entry->state & SUSPENDED ? ", suspended" : "",
            entry->state & INTERRUPTED ? ", interrupted" : "");
    print_stack(out, log, entry->stack);
}

void dump_snapshot(FILE *out, const struct ix_log_reader *log, const struct ix_snapshot *snapshot)
{
    char when[DUMP_TIME_SIZE];
    fprintf(out, "packet %" PRIu64 ": %zu threads", snapshot->packet, snapshot->count);
    /* An imported log has neither a wall clock nor the stop's length. */
    if (snapshot->real_ns)
        fprintf(out, ", %s", dump_time(when, snapshot->real_ns));
    if (snapshot->stop_ns)
        fprintf(out, ", stopped for %.3f ms", (double)snapshot->stop_ns / 1e6);
    if (snapshot->missed)
        fprintf(out, ", %" PRIu64 " threads missed", snapshot->missed);
    fprintf(out, ", monotonic clock %" PRId64 " ns\n", snapshot->mono_ns);
    for (size_t i = 0; i < snapshot->count; i++)
        print_thread(out, log, &snapshot->entries[i]);
}

/* ---- summary ---- */

struct totals {
    uint64_t snapshots, first, last;
    uint64_t threads, missed; /* summed over snapshots */
    uint64_t longest_stop;    /* ns */
    double stop_sum;          /* ns */
    unsigned char *seen;      /* by stack number: a thread was in it */
    size_t seen_cap;
    uint64_t stacks; /* how many of them */
};

static int add_stacks(struct totals *sum, const struct ix_log_reader *log,
                      const struct ix_snapshot *s, struct ix_error *err)
{
    size_t before = sum->seen_cap, count = ix_log_stack_count(log);
    unsigned char *seen = ix_grow(sum->seen, &sum->seen_cap, count, 1);
    if (!seen)
        return ix_fail(err, "out of memory");
    sum->seen = seen;
    for (size_t i = before; i < sum->seen_cap; i++)
        seen[i] = 0;
    for (size_t i = 0; i < s->count; i++) {
        sum->stacks += !seen[s->entries[i].stack];
        seen[s->entries[i].stack] = 1;
    }
    return 0;
}

static int add_snapshot(struct totals *sum, const struct ix_log_reader *log,
                        const struct ix_snapshot *s, struct ix_error *err)
{
    if (sum->snapshots++ == 0)
        sum->first = s->packet;
    sum->last = s->packet;
    sum->threads += s->count;
    sum->missed += s->missed;
    sum->stop_sum += (double)s->stop_ns;
    if (s->stop_ns > sum->longest_stop)
        sum->longest_stop = s->stop_ns;
    return add_stacks(sum, log, s, err);
}

static void print_totals(FILE *out, const struct ix_log_reader *log, const struct totals *sum)
{
    uint64_t bytes = ix_log_reader_offset(log);
    if (sum->snapshots == 0) {
        fprintf(out, "snapshots: none\nbytes: %" PRIu64 "\n", bytes);
        return;
    }
    double n = (double)sum->snapshots;
    fprintf(out, "packets: %" PRIu64 " to %" PRIu64 ", %" PRIu64 " snapshots\n", sum->first,
            sum->last, sum->snapshots);
    fprintf(out, "threads: %u different, %.1f in a snapshot, %" PRIu64 " missed\n",
            ix_log_thread_count(log) - 1, (double)sum->threads / n, sum->missed);
    fprintf(out, "call stacks: %" PRIu64 " different, of %u different frames, %u methods\n",
            sum->stacks, ix_log_frame_count(log) - 1, ix_log_method_count(log) - 1);
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
        dump_header(out, log);
        print_totals(out, log, &sum);
    }
    free(sum.seen);
    return rc;
}
