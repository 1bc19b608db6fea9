/* Thread dumps as jstack and `jcmd PID Thread.print` write them, for programs that analyse such:
 * one for each snapshot, JVM by JVM. What a log does not have, and these programs look for, is
 * filled in: tid and nid are the Java thread's identifier, an unknown priority is 5, and where
 * there is no wall clock (imported logs) the date is the monotonic clock's, from 1970 on. */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "roxi/dump.h"
#include "roxi/dump_facts.h"
#include "roxi/export.h"
#include "roxi/text_escape.h"
#include "schema/thread_state.h"

enum { NORMAL_PRIORITY = 5 };

static int begin(struct export *x, struct ix_error *err)
{
    (void)err;
    fputs("roxi: {", x->out); /* programs that read dumps skip what stands before them */
    export_origin(x->out, x->options);
    fputs("}\n\n", x->out);
    return 0;
}

/* ---- words ---- */

/* What java.lang.Thread.State calls it. */
static const char *state_of(uint32_t bits)
{
    const char *words = ix_thread_state_words(bits);
    return strcmp(words, "ALIVE") == 0 ? "RUNNABLE" : words;
}

/* What jstack says of the thread after nid. */
static const char *activity(const char *state)
{
    static const struct {
        const char *state, *words;
    } table[] = {
        {"RUNNABLE", "runnable"},
        {"BLOCKED (on object monitor)", "waiting for monitor entry"},
        {"WAITING (on object monitor)", "in Object.wait()"},
        {"TIMED_WAITING (on object monitor)", "in Object.wait()"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].state, state) == 0)
            return table[i].words;
    return "waiting on condition";
}

static void put_date(FILE *out, const struct ix_snapshot *s)
{
    const int64_t ns = s->real_ns ? s->real_ns : s->mono_ns;
    time_t seconds = (time_t)(ns / 1000000000);
    struct tm tm = {0};
    char date[32];
    gmtime_r(&seconds, &tm);
    strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &tm);
    fprintf(out, "%s\n", date);
}

/* ---- threads ---- */

/* A quote would end the name. */
static const char *instead(char c)
{
    return c == '"' ? "'" : NULL;
}

static void put_head(FILE *out, const struct ix_thread *t, const char *state)
{
    char room[EXPORT_ROOM];
    putc('"', out);
    export_print(out, export_thread_name(t, room), instead);
    fprintf(out, "\" #%" PRIu64 "%s prio=%" PRId32 " tid=0x%016" PRIx64 " nid=0x%" PRIx64 " %s\n",
            t->id, t->flags & IX_THREAD_DAEMON ? " daemon" : "",
            t->priority == IX_PRIORITY_UNKNOWN ? NORMAL_PRIORITY : t->priority, t->id, t->id,
            activity(state));
    fprintf(out, "   java.lang.Thread.State: %s\n", state);
}

static void put_frame(FILE *out, const struct ix_log_reader *log, struct ix_frame frame)
{
    struct ix_method method = ix_log_method_at(log, frame.method);
    struct ix_class class = ix_log_class_at(log, method.class_number);
    fputs("\tat ", out);
    text_print(out, class.name);
    putc('.', out);
    text_print(out, method.name);
    putc('(', out);
    if (frame.line == IX_LINE_NATIVE)
        fputs("Native Method", out);
    else
        text_print(out, *class.source ? class.source : "Unknown Source");
    if (frame.line > 0 && *class.source)
        fprintf(out, ":%" PRId32, frame.line);
    fputs(")\n", out);
}

/* The locks from `at` on that are the thread's at that depth; the place behind them. */
static size_t put_locks(FILE *out, const struct ix_log_reader *log, const struct dump_locks *locks,
                        size_t at, uint32_t thread, int32_t depth)
{
    static const char *const words[] = {[IX_LOCK_OWNS] = "locked",
                                        [IX_LOCK_ENTERS] = "waiting to lock",
                                        [IX_LOCK_WAITS] = "waiting on"};
    for (; at < locks->count && locks->by_thread[at]->thread == thread; at++) {
        const struct ix_lock *lock = locks->by_thread[at];
        if (lock->kind == IX_LOCK_OWNS && lock->depth > depth)
            break;
        fprintf(out, "\t- %s <0x%016" PRIx64 "> (a ", words[lock->kind], lock->object);
        text_print(out, ix_log_class_at(log, lock->class_number).name);
        fputs(")\n", out);
    }
    return at;
}

/* Locks are in order of thread and depth, those of no known frame first: they stand below the
 * executing one, where jstack has what a thread waits for. */
static size_t put_thread(FILE *out, const struct ix_log_reader *log,
                         const struct dump_locks *locks, size_t at, const struct ix_entry *entry)
{
    struct ix_thread t = ix_log_thread_at(log, entry->thread);
    uint32_t stack = entry->stack;
    put_head(out, &t, state_of(entry->state));
    while (at < locks->count && locks->by_thread[at]->thread < entry->thread)
        at++;
    for (int32_t depth = 0; stack > IX_STACK_CUT; stack = ix_log_stack_parent(log, stack)) {
        put_frame(out, log, ix_log_frame_at(log, ix_log_stack_frame(log, stack)));
        at = put_locks(out, log, locks, at, entry->thread, depth++);
    }
    at = put_locks(out, log, locks, at, entry->thread, INT32_MAX);
    if (stack == IX_STACK_CUT)
        fputs("\t...\n", out);
    putc('\n', out);
    return at;
}

static int snapshot(struct export *x, const struct ix_snapshot *s, struct ix_error *err)
{
    const struct ix_facts facts = ix_log_facts(x->reader);
    struct dump_locks locks;
    size_t at = 0;
    int result = dump_locks_sort(&locks, &facts);
    if (result == 0) {
        fputs("execution ", x->out);
        text_print(x->out, x->execution->name);
        fputs(", role ", x->out);
        text_print(x->out, x->vm->role);
        fprintf(x->out, ", process %" PRId64 ", packet %" PRIu64 ":\n", x->vm->pid, s->packet);
        put_date(x->out, s);
        fputs("Full thread dump ", x->out);
        text_print(x->out, x->vm->jvm);
        fputs(":\n\n", x->out);
        for (size_t i = 0; i < s->count; i++)
            at = put_thread(x->out, x->reader, &locks, at, &s->entries[i]);
    }
    dump_locks_free(&locks);
    return result == 0 ? 0 : ix_fail(err, "out of memory");
}

const struct export_format export_jstack = {
    .name = "jstack",
    .state_size = 1,
    .begin = begin,
    .snapshot = snapshot,
};
