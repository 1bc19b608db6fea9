/* SPDX-License-Identifier: Apache-2.0 */
/* Everything in the logs, as one JSON object (docs/export.md): snapshots are written as they are
 * read, followed by what their numbers mean, each thread, frame and call stack once. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/json.h"
#include "roxi/export/export.h"

enum { FORMAT_VERSION = 1 };

/* What distinguishes threads; a renamed thread is a different one. No padding, because it is a
 * key. */
struct thread_key {
    uint64_t id, start;
    uint32_t name, group, parent, flags;
    int32_t priority;
    uint32_t zero;
};

struct state {
    struct ix_intern threads; /* of the JVM being read; keys: struct thread_key */
    bool more_executions, more_vms, more_snapshots;
    bool in_snapshots; /* their list has not been closed yet */
};

/* Separates list elements: writes a comma unless the element is the first. */
static void next(FILE *out, bool *more)
{
    fputs(*more ? ",\n" : "\n", out);
    *more = true;
}

static void member(FILE *out, const char *before, const char *text)
{
    fputs(before, out);
    roxi_json_string(out, text);
}

static int begin(struct export *x, struct ix_error *err)
{
    (void)err;
    fprintf(x->out, "{\"format\":\"roxi-export\",\"version\":%d,", FORMAT_VERSION);
    export_origin(x->out, x->options);
    fputs(",\n\"executions\":[", x->out);
    return 0;
}

static int execution_begin(struct export *x, struct ix_error *err)
{
    struct state *state = x->state;
    (void)err;
    next(x->out, &state->more_executions);
    state->more_vms = false;
    member(x->out, "{\"name\":", x->execution->name);
    fprintf(x->out, ",\"verdict\":\"%s\",\"vms\":[", ix_verdict_name(x->execution->verdict));
    return 0;
}

static int vm_begin(struct export *x, struct ix_error *err)
{
    struct state *state = x->state;
    (void)err;
    next(x->out, &state->more_vms);
    state->more_snapshots = false;
    member(x->out, "{\"role\":", x->vm->role);
    member(x->out, ",\"host\":", x->vm->host);
    fprintf(x->out, ",\"pid\":%" PRId64 ",\"started-ns\":%" PRId64, x->vm->pid, x->vm->started_ns);
    member(x->out, ",\"jvm\":", x->vm->jvm);
    member(x->out, ",\"log\":", x->vm->log);
    fputs(",\n\"snapshots\":[", x->out);
    state->in_snapshots = true;
    return 0;
}

/* ---- snapshots ---- */

/* The thread's number in this JVM's list; EXPORT_NONE: out of memory. */
static uint32_t thread_number(struct export *x, uint32_t thread)
{
    struct state *state = x->state;
    struct ix_thread t = ix_log_thread_at(x->reader, thread);
    struct thread_key key = {
        .id = t.id,
        .start = t.start,
        .name = export_string(&x->dictionary, t.name),
        .group = export_string(&x->dictionary, t.group),
        .parent = export_string(&x->dictionary, t.parent),
        .flags = t.flags,
        .priority = t.priority,
    };
    bool added;
    if (key.name == EXPORT_NONE || key.group == EXPORT_NONE || key.parent == EXPORT_NONE)
        return EXPORT_NONE;
    state->threads.key_size = sizeof key;
    return ix_intern(&state->threads, &key, sizeof key, &added);
}

static int put_entries(struct export *x, const struct ix_snapshot *s)
{
    fputs(",\"threads\":[", x->out);
    for (size_t i = 0; i < s->count; i++) {
        uint32_t thread = thread_number(x, s->entries[i].thread);
        uint32_t stack = export_log_stack(&x->log, s->entries[i].stack);
        if (thread == EXPORT_NONE || stack == EXPORT_NONE)
            return -1;
        fprintf(x->out, "%s[%" PRIu32 ",%" PRIu32 ",%" PRIu32 "]", i ? "," : "", thread,
                s->entries[i].state, stack);
    }
    putc(']', x->out);
    return 0;
}

static int put_locks(struct export *x, const struct ix_facts *facts)
{
    static const char *const words[] = {[IX_LOCK_OWNS] = "owns",
                                        [IX_LOCK_ENTERS] = "enters",
                                        [IX_LOCK_WAITS] = "waits",
                                        [IX_LOCK_PARKED] = "parked",
                                        [IX_LOCK_OWNS_SYNCHRONIZER] = "owns-synchronizer"};
    if (facts->lock_count == 0)
        return 0;
    fputs(",\"locks\":[", x->out);
    for (size_t i = 0; i < facts->lock_count; i++) {
        const struct ix_lock *lock = &facts->locks[i];
        uint32_t thread = thread_number(x, lock->thread);
        uint32_t class_number = export_log_class(&x->log, lock->class_number);
        if (thread == EXPORT_NONE || class_number == EXPORT_NONE)
            return -1;
        fprintf(x->out, "%s[%" PRIu32 ",\"%s\",%" PRIu64 ",%" PRIu32 ",%" PRId32 "]", i ? "," : "",
                thread, words[lock->kind], lock->object, class_number, lock->depth);
    }
    putc(']', x->out);
    return 0;
}

static int put_exceptions(struct export *x, const struct ix_facts *facts)
{
    if (facts->exceptions_dropped)
        fprintf(x->out, ",\"exceptions-dropped\":%" PRIu64, facts->exceptions_dropped);
    if (facts->exception_count == 0)
        return 0;
    fputs(",\"exceptions\":[", x->out);
    for (size_t i = 0; i < facts->exception_count; i++) {
        const struct ix_exception *e = &facts->exceptions[i];
        uint32_t thread = e->thread ? thread_number(x, e->thread) : 0;
        uint32_t class_number = export_log_class(&x->log, e->class_number);
        uint32_t frame = export_log_frame(&x->log, e->frame);
        if (thread == EXPORT_NONE || class_number == EXPORT_NONE || frame == EXPORT_NONE)
            return -1;
        fputs(i ? ",[" : "[", x->out);
        if (e->thread)
            fprintf(x->out, "%" PRIu32, thread);
        else
            fputs("null", x->out);
        fprintf(x->out, ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 "]", class_number, frame, e->count);
    }
    putc(']', x->out);
    return 0;
}

static int put_firsts(struct export *x, const struct ix_facts *facts)
{
    if (facts->firsts_dropped)
        fprintf(x->out, ",\"first-exceptions-dropped\":%" PRIu64, facts->firsts_dropped);
    if (facts->first_count == 0)
        return 0;
    fputs(",\"first-exceptions\":[", x->out);
    for (size_t i = 0; i < facts->first_count; i++) {
        const struct ix_first *first = &facts->firsts[i];
        uint32_t thread = first->thread ? thread_number(x, first->thread) : 0;
        uint32_t class_number = export_log_class(&x->log, first->class_number);
        uint32_t stack = export_log_stack(&x->log, first->stack);
        if (thread == EXPORT_NONE || class_number == EXPORT_NONE || stack == EXPORT_NONE)
            return -1;
        fputs(i ? ",[" : "[", x->out);
        if (first->thread)
            fprintf(x->out, "%" PRIu32, thread);
        else
            fputs("null", x->out);
        fprintf(x->out, ",%" PRIu32 ",%" PRIu32 "]", class_number, stack);
    }
    putc(']', x->out);
    return 0;
}

static int put_starters(struct export *x, const struct ix_facts *facts)
{
    if (facts->starter_count == 0)
        return 0;
    fputs(",\"started\":[", x->out);
    for (size_t i = 0; i < facts->starter_count; i++) {
        const uint32_t thread = thread_number(x, facts->starters[i].thread);
        const uint32_t stack = export_log_stack(&x->log, facts->starters[i].stack);
        if (thread == EXPORT_NONE || stack == EXPORT_NONE)
            return -1;
        fprintf(x->out, "%s[%" PRIu32 ",%" PRIu32 "]", i ? "," : "", thread, stack);
    }
    putc(']', x->out);
    return 0;
}

static int put_turns(struct export *x, const struct ix_facts *facts)
{
    if (facts->turn_count == 0)
        return 0;
    fputs(",\"turns\":[", x->out);
    for (size_t i = 0; i < facts->turn_count; i++) {
        const uint32_t thread = thread_number(x, facts->turns[i].thread);
        if (thread == EXPORT_NONE)
            return -1;
        fprintf(x->out, "%s[%" PRIu32 ",%" PRIu64 "]", i ? "," : "", thread, facts->turns[i].turns);
    }
    putc(']', x->out);
    return 0;
}

static int put_calls(struct export *x, const struct ix_facts *facts)
{
    if (facts->invocation_count == 0)
        return 0;
    fputs(",\"calls\":[", x->out);
    for (size_t i = 0; i < facts->invocation_count; i++) {
        const struct ix_invocations *calls = &facts->invocations[i];
        const uint32_t method = export_log_method(&x->log, calls->method);
        if (method == EXPORT_NONE)
            return -1;
        fprintf(x->out, "%s[%" PRIu32 ",%" PRIu64 ",%s]", i ? "," : "", method, calls->count,
                calls->at_least ? "true" : "false");
    }
    putc(']', x->out);
    return 0;
}

static int put_covered(struct export *x, const struct ix_facts *facts)
{
    if (facts->covered_count == 0)
        return 0;
    fputs(",\"covered\":[", x->out);
    for (size_t i = 0; i < facts->covered_count; i++) {
        const uint32_t frame = export_log_frame(&x->log, facts->covered[i].frame);
        if (frame == EXPORT_NONE)
            return -1;
        fprintf(x->out, "%s[%" PRIu32 ",%" PRIu32 "]", i ? "," : "", frame,
                facts->covered[i].block);
    }
    putc(']', x->out);
    return 0;
}

static int put_pauses(struct export *x, const struct ix_facts *facts)
{
    if (facts->pause_count == 0)
        return 0;
    fputs(",\"pauses\":[", x->out);
    for (size_t i = 0; i < facts->pause_count; i++) {
        const struct ix_pause *pause = &facts->pauses[i];
        const uint32_t frame = export_log_frame(&x->log, pause->frame);
        if (frame == EXPORT_NONE)
            return -1;
        fprintf(x->out, "%s[%" PRIu32 ",%" PRIu32 ",%" PRIu64 "]", i ? "," : "", frame,
                pause->block, pause->packets);
    }
    putc(']', x->out);
    return 0;
}

static void put_addresses(struct export *x, const char *local, const char *remote)
{
    member(x->out, ",", local);
    member(x->out, ",", remote);
    putc(']', x->out);
}

static void put_traffic(struct export *x, const struct ix_facts *facts)
{
    static const char *const words[] = {"null", "\"here\"", "\"there\""};
    if (facts->traffic_count)
        fputs(",\"traffic\":[", x->out);
    for (size_t i = 0; i < facts->traffic_count; i++) {
        const struct ix_traffic *t = &facts->traffic[i];
        fprintf(x->out, "%s[%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%s",
                i ? "," : "", t->sent, t->received, t->sent_bytes, t->received_bytes, t->unread,
                words[t->last]);
        put_addresses(x, t->local, t->remote);
    }
    if (facts->traffic_count)
        putc(']', x->out);
}

static int put_waits(struct export *x, const struct ix_connections *c)
{
    static const char *const words[] = {"read", "write", "accept", "connect", "poll"};
    if (c->wait_count == 0)
        return 0;
    fputs(",\"waits\":[", x->out);
    for (size_t i = 0; i < c->wait_count; i++) {
        uint32_t thread = thread_number(x, c->waits[i].thread);
        if (thread == EXPORT_NONE)
            return -1;
        fprintf(x->out, "%s[%" PRIu32 ",\"%s\"", i ? "," : "", thread, words[c->waits[i].kind]);
        put_addresses(x, c->waits[i].local, c->waits[i].remote);
    }
    putc(']', x->out);
    return 0;
}

static int put_sockets(struct export *x, const struct ix_connections *c)
{
    static const char *const words[] = {"closed", "open", "listens"};
    if (c->change_count == 0)
        return 0;
    fputs(",\"sockets\":[", x->out);
    for (size_t i = 0; i < c->change_count; i++) {
        const struct ix_connection *change = &c->changes[i];
        uint32_t thread = change->thread ? thread_number(x, change->thread) : 0;
        if (thread == EXPORT_NONE)
            return -1;
        fputs(i ? ",[" : "[", x->out);
        if (change->thread)
            fprintf(x->out, "%" PRIu32, thread);
        else
            fputs("null", x->out);
        fprintf(x->out, ",\"%s\"", words[change->state]);
        put_addresses(x, change->local, change->remote);
    }
    putc(']', x->out);
    return 0;
}

static int put_joins(struct export *x, const struct ix_connections *c)
{
    if (c->join_count == 0)
        return 0;
    fputs(",\"joins\":[", x->out);
    for (size_t i = 0; i < c->join_count; i++) {
        uint32_t thread = thread_number(x, c->joins[i].thread);
        uint32_t joined = thread_number(x, c->joins[i].joined);
        if (thread == EXPORT_NONE || joined == EXPORT_NONE)
            return -1;
        fprintf(x->out, "%s[%" PRIu32 ",%" PRIu32 "]", i ? "," : "", thread, joined);
    }
    putc(']', x->out);
    return 0;
}

static int put_connections(struct export *x, const struct ix_connections *c)
{
    if (c->flags & IX_CONNECTIONS_HIDDEN)
        fputs(",\"waits-hidden\":true", x->out);
    if (c->flags & IX_CONNECTIONS_PARTIAL)
        fputs(",\"waits-partial\":true", x->out);
    return put_waits(x, c) == 0 && put_sockets(x, c) == 0 ? put_joins(x, c) : -1;
}

static int put_facts(struct export *x)
{
    const struct ix_facts facts = ix_log_facts(x->reader);
    if (facts.has_virtual)
        fprintf(x->out, ",\"virtual-hidden\":%" PRIu64, facts.virtual_hidden);
    if (facts.has_process)
        fprintf(x->out,
                ",\"process\":{\"cpu-ns\":%" PRIu64 ",\"rss-bytes\":%" PRIu64
                ",\"descriptors\":%" PRIu64 ",\"gc-count\":%" PRIu64 ",\"gc-ns\":%" PRIu64 "}",
                facts.process.cpu_ns, facts.process.rss_bytes, facts.process.descriptors,
                facts.process.gc_count, facts.process.gc_ns);
    put_traffic(x, &facts);
    return put_locks(x, &facts) == 0 && put_exceptions(x, &facts) == 0 &&
                   put_firsts(x, &facts) == 0 && put_starters(x, &facts) == 0 &&
                   put_turns(x, &facts) == 0 && put_calls(x, &facts) == 0 &&
                   put_covered(x, &facts) == 0 && put_pauses(x, &facts) == 0
               ? put_connections(x, &facts.connections)
               : -1;
}

static int snapshot(struct export *x, const struct ix_snapshot *s, struct ix_error *err)
{
    struct state *state = x->state;
    next(x->out, &state->more_snapshots);
    fprintf(x->out,
            "{\"packet\":%" PRIu64 ",\"mono-ns\":%" PRId64 ",\"real-ns\":%" PRId64
            ",\"stop-ns\":%" PRIu64 ",\"missed\":%" PRIu64,
            s->packet, s->mono_ns, s->real_ns, s->stop_ns, s->missed);
    if (put_entries(x, s) != 0 || put_facts(x) != 0)
        return ix_fail(err, "out of memory");
    putc('}', x->out);
    return 0;
}

static void end_snapshots(struct export *x)
{
    struct state *state = x->state;
    if (state->in_snapshots)
        putc(']', x->out);
    state->in_snapshots = false;
}

static int rest(struct export *x, struct ix_error *err)
{
    const struct ix_facts facts = ix_log_facts(x->reader);
    end_snapshots(x);
    return put_exceptions(x, &facts) == 0 && put_firsts(x, &facts) == 0 &&
                   put_calls(x, &facts) == 0 && put_covered(x, &facts) == 0
               ? 0
               : ix_fail(err, "out of memory");
}

/* ---- what the numbers stand for ---- */

static void put_flag(FILE *out, const char *before, bool known, bool set)
{
    fprintf(out, "%s%s", before, !known ? "null" : set ? "true" : "false");
}

static void put_threads(struct export *x)
{
    struct state *state = x->state;
    const struct export_dictionary *d = &x->dictionary;
    bool more = false;
    for (uint32_t i = 0; i < state->threads.count; i++) {
        struct thread_key t;
        memcpy(&t, state->threads.keys.data + i * sizeof t, sizeof t);
        next(x->out, &more);
        fprintf(x->out, "{\"id\":%" PRIu64 ",\"start\":%" PRIu64, t.id, t.start);
        member(x->out, ",\"name\":", export_text(d, t.name));
        member(x->out, ",\"group\":", export_text(d, t.group));
        member(x->out, ",\"parent\":", export_text(d, t.parent));
        if (t.priority == IX_PRIORITY_UNKNOWN)
            fputs(",\"priority\":null", x->out);
        else
            fprintf(x->out, ",\"priority\":%" PRId32, t.priority);
        put_flag(x->out, ",\"daemon\":", !(t.flags & IX_THREAD_DAEMON_UNKNOWN),
                 t.flags & IX_THREAD_DAEMON);
        put_flag(x->out, ",\"virtual\":", true, t.flags & IX_THREAD_VIRTUAL);
        if (t.flags & IX_THREAD_LEFT)
            fputs(",\"left-behind\":true", x->out);
        putc('}', x->out);
    }
}

static int vm_end(struct export *x, struct ix_error *err)
{
    struct state *state = x->state;
    (void)err;
    end_snapshots(x);
    fputs(",\n\"threads\":[", x->out);
    put_threads(x);
    ix_intern_free(&state->threads);
    state->threads = (struct ix_intern){0};
    fputs("],\"problem\":", x->out);
    if (x->problem)
        roxi_json_string(x->out, x->problem);
    else
        fputs("null", x->out);
    putc('}', x->out);
    return 0;
}

static int execution_end(struct export *x, struct ix_error *err)
{
    (void)err;
    fputs("]}", x->out);
    return 0;
}

static void put_classes(struct export *x)
{
    const struct export_dictionary *d = &x->dictionary;
    bool more = false;
    fputs("],\n\"classes\":[", x->out);
    for (uint32_t i = 0; i < d->classes.count; i++) {
        struct export_class c = export_class_at(d, i);
        next(x->out, &more);
        member(x->out, "[", export_text(d, c.name));
        member(x->out, ",", export_text(d, c.source));
        putc(']', x->out);
    }
    fputs("],\n\"methods\":[", x->out);
    more = false;
    for (uint32_t i = 0; i < d->methods.count; i++) {
        struct export_method m = export_method_at(d, i);
        next(x->out, &more);
        fprintf(x->out, "[%" PRIu32, m.class_number);
        member(x->out, ",", export_text(d, m.name));
        member(x->out, ",", export_text(d, m.descriptor));
        putc(']', x->out);
    }
}

static int end(struct export *x, struct ix_error *err)
{
    const struct export_dictionary *d = &x->dictionary;
    (void)err;
    put_classes(x);
    fputs("],\n\"frames\":[", x->out);
    for (uint32_t i = 0; i < d->frames.count; i++) {
        struct export_frame f = export_frame_at(d, i);
        fprintf(x->out, "%s[%" PRIu32 ",%" PRId32 "]", i ? "," : "", f.method, f.line);
    }
    fputs("],\n\"stacks\":[null,null", x->out);
    for (uint32_t i = IX_STACK_CUT + 1; i < export_stack_count(d); i++) {
        struct export_stack s = export_stack_at(d, i);
        fprintf(x->out, ",[%" PRIu32 ",%" PRIu32 "]", s.parent, s.frame);
    }
    fputs("]}\n", x->out);
    return 0;
}

static void release(void *user)
{
    ix_intern_free(&((struct state *)user)->threads);
}

const struct export_format export_json = {
    .name = "json",
    .keeps = EXPORT_SOURCES | EXPORT_DESCRIPTORS | EXPORT_LINES,
    .state_size = sizeof(struct state),
    .begin = begin,
    .execution_begin = execution_begin,
    .vm_begin = vm_begin,
    .snapshot = snapshot,
    .rest = rest,
    .vm_end = vm_end,
    .execution_end = execution_end,
    .end = end,
    .release = release,
};
