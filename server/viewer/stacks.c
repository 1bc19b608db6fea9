/* SPDX-License-Identifier: Apache-2.0 */
#include "server/viewer/stacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/tracelog/thread_state.h"
#include "server/base/json.h"
#include "server/viewer/stacks_log.h"

struct ixor_stacks {
    struct ixor_log logs[IXOR_STACKS_LOGS];
    uint64_t uses;
};

struct ixor_stacks *ixor_stacks_new(void)
{
    return calloc(1, sizeof(struct ixor_stacks));
}

void ixor_stacks_free(struct ixor_stacks *s)
{
    for (size_t i = 0; s && i < IXOR_STACKS_LOGS; i++)
        ixor_log_free(&s->logs[i]);
    free(s);
}

/* ---- which logs are open ---- */

static struct ixor_log *least_used(struct ixor_stacks *s, const struct ixor_log *but)
{
    struct ixor_log *least = NULL;
    for (size_t i = 0; i < IXOR_STACKS_LOGS; i++) {
        struct ixor_log *log = &s->logs[i];
        if (log != but && log->path && (!least || log->used < least->used))
            least = log;
    }
    return least;
}

static void keep_within_bytes(struct ixor_stacks *s, const struct ixor_log *at_hand)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < IXOR_STACKS_LOGS; i++)
        bytes += ixor_log_memory(&s->logs[i]);
    while (bytes > IXOR_STACKS_BYTES) {
        struct ixor_log *log = least_used(s, at_hand);
        if (!log)
            return;
        bytes -= ixor_log_memory(log);
        ixor_log_free(log);
    }
}

/* NULL: out of memory. */
static struct ixor_log *log_of(struct ixor_stacks *s, const char *path, bool newest)
{
    struct ixor_log *spare = NULL, *log = NULL;
    for (size_t i = 0; i < IXOR_STACKS_LOGS; i++) {
        if (!s->logs[i].path)
            spare = &s->logs[i];
        else if (s->logs[i].newest == newest && strcmp(s->logs[i].path, path) == 0)
            log = &s->logs[i];
    }
    if (!log) {
        log = spare ? spare : least_used(s, NULL);
        ixor_log_free(log);
        log->path = strdup(path);
        log->newest = newest;
    }
    log->used = ++s->uses;
    return log->path ? log : NULL;
}

static enum ixor_found seek(struct ixor_stacks *s, const char *path, uint64_t packet,
                            struct ixor_log **log, const struct ix_snapshot **snapshot,
                            struct ix_error *err)
{
    *log = log_of(s, path, packet == 0);
    if (!*log)
        return (enum ixor_found)ix_fail(err, "out of memory");
    const enum ixor_found found = ixor_log_seek(*log, packet, snapshot, err);
    keep_within_bytes(s, *log);
    if (found == IXOR_BROKEN)
        ixor_log_close(*log); /* the next query starts again */
    return found;
}

/* ---- JSON ---- */

static json_t *text(const char *name)
{
    return ixor_live_text(name, IXOR_STACKS_TEXT);
}

/* As roxi dump writes it: "a.B.run(B.java:12)". */
static json_t *place_json(const struct ix_class *class, const struct ix_method *method,
                          int32_t line)
{
    char place[3 * IXOR_STACKS_TEXT + 64], where[IXOR_STACKS_TEXT + 32];
    const char *source = class->source[0] ? class->source : "Unknown Source";
    if (line == IX_LINE_NATIVE)
        snprintf(where, sizeof where, "Native Method");
    else if (line == IX_LINE_COMPILED)
        snprintf(where, sizeof where, "%.*s, compiled", (int)IXOR_STACKS_TEXT, source);
    else if (line >= 0)
        snprintf(where, sizeof where, "%.*s:%d", (int)IXOR_STACKS_TEXT, source, (int)line);
    else
        snprintf(where, sizeof where, "%.*s", (int)IXOR_STACKS_TEXT, source);
    snprintf(place, sizeof place, "%.*s.%.*s(%s)", (int)IXOR_STACKS_TEXT, class->name,
             (int)IXOR_STACKS_TEXT, method->name, where);
    return ixor_live_text(place, sizeof place);
}

static json_t *frame_json(const struct ix_log_reader *r, uint32_t stack)
{
    const struct ix_frame frame = ix_log_frame_at(r, ix_log_stack_frame(r, stack));
    const struct ix_method method = ix_log_method_at(r, frame.method);
    const struct ix_class class = ix_log_class_at(r, method.class_number);
    return IXOR_JSON_OBJECT({"class", text(class.name)}, {"method", text(method.name)},
                            {"descriptor", text(method.descriptor)}, {"source", text(class.source)},
                            {"line", json_integer((int)frame.line)},
                            {"text", place_json(&class, &method, frame.line)});
}

/* Methods in which a thread waits for work although the JVM reports it as runnable. */
static bool waits_inside(const struct ix_log_reader *r, uint32_t stack)
{
    static const char *const methods[] = {"accept",
                                          "accept0",
                                          "socketAccept",
                                          "epollWait",
                                          "poll",
                                          "poll0",
                                          "park",
                                          "park0",
                                          "read0",
                                          "recv",
                                          "receive0",
                                          "socketRead0",
                                          "waitFor",
                                          "waitForProcessExit0",
                                          "waitForReferencePendingList"};
    if (stack <= IX_STACK_CUT)
        return true; /* the JVM's own threads have no frame */
    const struct ix_frame frame = ix_log_frame_at(r, ix_log_stack_frame(r, stack));
    const struct ix_method method = ix_log_method_at(r, frame.method);
    if (frame.line != IX_LINE_NATIVE)
        return false;
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        if (strcmp(method.name, methods[i]) == 0)
            return true;
    }
    return false;
}

static bool is_idle(const struct ix_log_reader *r, const struct ix_entry *e)
{
    if (e->state & IX_THREAD_BLOCKED)
        return false;
    return !(e->state & IX_THREAD_RUNNABLE) || waits_inside(r, e->stack);
}

static json_t *thread_json(const struct ix_log_reader *r, const struct ix_entry *e)
{
    const struct ix_thread t = ix_log_thread_at(r, e->thread);
    char unnamed[40];
    snprintf(unnamed, sizeof unnamed, "virtual-%llu", (unsigned long long)t.id);
    const bool is_virtual = t.flags & IX_THREAD_VIRTUAL;
    return IXOR_JSON_OBJECT(
        {"thread", json_integer((json_int_t)e->thread)},
        {"id", json_integer((json_int_t)(t.id & INT64_MAX))},
        {"name", text(is_virtual && !*t.name ? unnamed : t.name)}, {"group", text(t.group)},
        {"state", json_string(ix_thread_state_words(e->state))},
        {"native", json_boolean((e->state & IX_THREAD_IN_NATIVE) != 0)},
        {"suspended", json_boolean((e->state & IX_THREAD_SUSPENDED) != 0)},
        {"idle", json_boolean(is_idle(r, e))},
        {"daemon", json_boolean((t.flags & IX_THREAD_DAEMON) != 0)},
        {"virtual", json_boolean(is_virtual)},
        {"top", e->stack > IX_STACK_CUT ? frame_json(r, e->stack) : json_null()});
}

enum ixor_found ixor_stacks_threads(struct ixor_stacks *s, const char *path, uint64_t packet,
                                    json_t **out, struct ix_error *err)
{
    struct ixor_log *log;
    const struct ix_snapshot *snapshot;
    const enum ixor_found found = seek(s, path, packet, &log, &snapshot, err);
    if (found != IXOR_FOUND)
        return found;
    json_t *threads = json_array();
    for (size_t i = 0; i < snapshot->count && i < IXOR_STACKS_THREADS; i++)
        json_array_append_new(threads, thread_json(log->reader, &snapshot->entries[i]));
    return ixor_live_answer(
        IXOR_JSON_OBJECT(
            {"packet", json_integer((json_int_t)snapshot->packet)},
            {"begin_ns", ixor_live_number(snapshot->real_ns > 0 ? snapshot->real_ns : -1)},
            {"stop_ns", json_integer((json_int_t)(snapshot->stop_ns & INT64_MAX))},
            {"missed", json_integer((json_int_t)(snapshot->missed & INT64_MAX))},
            {"thread_count", json_integer((json_int_t)snapshot->count)}, {"threads", threads}),
        out, err);
}

static const struct ix_entry *entry_of(const struct ix_snapshot *s, uint32_t thread)
{
    for (size_t i = 0; i < s->count; i++) {
        if (s->entries[i].thread == thread)
            return &s->entries[i];
    }
    return NULL;
}

enum ixor_found ixor_stacks_stack(struct ixor_stacks *s, const char *path, uint64_t packet,
                                  uint32_t thread, json_t **out, struct ix_error *err)
{
    struct ixor_log *log;
    const struct ix_snapshot *snapshot;
    const enum ixor_found found = seek(s, path, packet, &log, &snapshot, err);
    if (found != IXOR_FOUND)
        return found;
    const struct ix_entry *entry = entry_of(snapshot, thread);
    if (!entry) {
        ix_fail(err, "there is no thread %u in packet %llu", (unsigned)thread,
                (unsigned long long)snapshot->packet);
        return IXOR_NOT_THERE;
    }
    const struct ix_log_reader *r = log->reader;
    json_t *frames = json_array();
    uint32_t stack = entry->stack;
    size_t left_out = 0;
    for (size_t depth = 0; stack > IX_STACK_CUT; stack = ix_log_stack_parent(r, stack)) {
        if (depth++ < IXOR_STACKS_FRAMES)
            json_array_append_new(frames, frame_json(r, stack));
        else
            left_out++;
    }
    return ixor_live_answer(IXOR_JSON_OBJECT({"packet", json_integer((json_int_t)snapshot->packet)},
                                             {"thread", thread_json(r, entry)}, {"frames", frames},
                                             {"left_out", json_integer((json_int_t)left_out)},
                                             {"cut", json_boolean(stack == IX_STACK_CUT)}),
                            out, err);
}
