/* SPDX-License-Identifier: Apache-2.0 */
/* Thread dumps as jstack and `jcmd PID Thread.print` write them, for programs that analyse
 * thread dumps: one for each snapshot, JVM by JVM. What these programs expect but a log does not
 * contain is filled in: tid and nid are the Java thread's identifier, an unknown priority is 5,
 * and without a wall clock (imported logs) the date is that of the monotonic clock, counted from
 * 1970. What a log contains but a thread dump does not, roxi import needs to make the same log
 * again: it stands in front of each dump, which programs that read dumps skip. */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "roxi/base/text_escape.h"
#include "roxi/export/dump.h"
#include "roxi/export/dump_facts.h"
#include "roxi/export/export.h"
#include "roxi/export/jstack_facts.h"
#include "schema/tracelog/thread_state.h"

enum { NORMAL_PRIORITY = 5 };

static int begin(struct export *x, struct ix_error *err)
{
    (void)err;
    fputs("roxi: {", x->out); /* programs that read dumps skip what precedes them */
    export_origin(x->out, x->options);
    fputs("}\n\n", x->out);
    return 0;
}

/* ---- words ---- */

/* The name in java.lang.Thread.State. */
static const char *state_of(uint32_t bits)
{
    const char *words = ix_thread_state_words(bits);
    return strcmp(words, "ALIVE") == 0 ? "RUNNABLE" : words;
}

/* What jstack prints after nid. */
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

/* A quotation mark would end the name. */
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
    fputs("\tat ", out);
    jstack_put_place(out, log, frame);
    putc('\n', out);
}

static void put_object(FILE *out, const struct ix_log_reader *log, const struct ix_lock *lock)
{
    fprintf(out, "<0x%016" PRIx64 "> (a ", lock->object);
    text_print(out, ix_log_class_at(log, lock->class_number).name);
    fputs(")\n", out);
}

/* Writes the thread's locks at that depth, starting at index `at`; returns the index after them. */
static size_t put_locks(FILE *out, const struct ix_log_reader *log, const struct dump_locks *locks,
                        size_t at, uint32_t thread, int32_t depth)
{
    static const char *const words[] = {[IX_LOCK_OWNS] = "locked",
                                        [IX_LOCK_ENTERS] = "waiting to lock",
                                        [IX_LOCK_WAITS] = "waiting on",
                                        [IX_LOCK_PARKED] = "parking to wait for "};
    for (; at < locks->count && locks->by_thread[at]->thread == thread; at++) {
        const struct ix_lock *lock = locks->by_thread[at];
        if (lock->kind == IX_LOCK_OWNS_SYNCHRONIZER ||
            (lock->kind == IX_LOCK_OWNS && lock->depth > depth))
            break;
        fprintf(out, "\t- %s ", words[lock->kind]);
        put_object(out, log, lock);
    }
    return at;
}

/* The same for the synchronizers that it owns. Without any, there is no line, as without jstack -l.
 */
static size_t put_synchronizers(FILE *out, const struct ix_log_reader *log,
                                const struct dump_locks *locks, size_t at, uint32_t thread)
{
    const size_t first = at;
    for (; at < locks->count && locks->by_thread[at]->thread == thread; at++) {
        fputs(at == first ? "\n   Locked ownable synchronizers:\n\t- " : "\t- ", out);
        put_object(out, log, locks->by_thread[at]);
    }
    return at;
}

/* Locks are sorted by thread and depth, those at no known frame first. These are printed below
 * the executing frame, where jstack shows what a thread waits for. */
static size_t put_thread(FILE *out, const struct ix_log_reader *log, const struct dump_locks *locks,
                         size_t at, const struct ix_entry *entry)
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
    at = put_synchronizers(out, log, locks, at, entry->thread);
    putc('\n', out);
    return at;
}

/* ---- a dump ---- */

static int vm_begin(struct export *x, struct ix_error *err)
{
    (void)err;
    jstack_facts_forget(x->state);
    return 0;
}

static void release(void *state)
{
    jstack_facts_forget(state);
}

static void put_origin(const struct export *x, const struct ix_snapshot *s)
{
    fputs("execution ", x->out);
    text_print(x->out, x->execution->name);
    fputs(", role ", x->out);
    text_print(x->out, x->vm->role);
    fprintf(x->out, ", process %" PRId64 ", packet %" PRIu64 ":\n", x->vm->pid, s->packet);
}

static int snapshot(struct export *x, const struct ix_snapshot *s, struct ix_error *err)
{
    const struct ix_facts facts = ix_log_facts(x->reader);
    struct dump_locks locks;
    size_t at = 0;
    int result = dump_locks_sort(&locks, &facts);
    if (result == 0) {
        put_origin(x, s);
        result = jstack_facts_put(x->state, x->out, x->reader, s);
    }
    if (result == 0) {
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
    .state_size = sizeof(struct jstack_facts),
    .begin = begin,
    .vm_begin = vm_begin,
    .snapshot = snapshot,
    .release = release,
};
