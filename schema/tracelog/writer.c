/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/tracelog/writer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema/base/bytes.h"
#include "schema/base/grow.h"
#include "schema/base/utf8.h"
#include "schema/tracelog/definitions.h"
#include "schema/tracelog/edits.h"
#include "schema/tracelog/facts.h"
#include "schema/tracelog/output.h"
#include "schema/tracelog/parts.h"

/* Keeps a list with its counts below the largest payload. */
#define LIST_MAX (IX_LOG_PAYLOAD_MAX - 64)

struct ix_log_writer {
    struct ix_output output;
    struct ix_ended_parts parts;

    struct ix_out meta; /* all pairs so far, for the next part */
    struct ix_definitions definitions;
    struct ix_facts_out facts; /* about the next snapshot */
    struct ix_out snapshot;    /* scratch for payloads */
    struct ix_snapshot before; /* the last one written in this part; its entries are owned */
    struct ix_entry *entries;
    size_t entries_cap;
    bool any_before; /* in any part */
    uint64_t last_packet;

    bool failed, refused;
    struct ix_error why;
};

/* ---- Failure ----------------------------------------------------------------------------------
 */

/* Ends the log: memory or the file failed. Returns -1. */
__attribute__((format(printf, 2, 3), cold)) static int fail(struct ix_log_writer *w,
                                                            const char *format, ...)
{
    if (!w->failed) {
        va_list args;
        va_start(args, format);
        vsnprintf(w->why.text, sizeof w->why.text, format, args);
        va_end(args);
        w->failed = true;
    }
    return -1;
}

static int fail_memory(struct ix_log_writer *w)
{
    return fail(w, "trace log %s: memory ran out", w->output.name);
}

/* Invalid arguments; the log continues without them. Returns -1. */
__attribute__((format(printf, 2, 3), cold)) static int refuse(struct ix_log_writer *w,
                                                              const char *format, ...)
{
    if (!w->failed && !w->refused) {
        struct ix_error inner;
        va_list args;
        va_start(args, format);
        vsnprintf(inner.text, sizeof inner.text, format, args);
        va_end(args);
        ix_fail(&w->why, "trace log %s: refused %s", w->output.name, inner.text);
        w->refused = true;
    }
    return -1;
}

/* ---- Records ----------------------------------------------------------------------------------
 */

/* Turns all pending definitions into records. */
static int stage(struct ix_log_writer *w)
{
    return ix_definitions_stage(&w->definitions) < 0 ? fail_memory(w) : 0;
}

/* Writes what is staged; if there is a limit, makes room first. */
static int flush(struct ix_log_writer *w)
{
    struct ix_error err;
    ix_ended_parts_reduce(&w->parts, w->output.path, w->output.bytes + w->output.ready.len);
    return ix_output_flush(&w->output, &err) < 0 ? fail(w, "%s", err.text) : 0;
}

/* ---- Opening and closing ----------------------------------------------------------------------
 */

/* Frees the definitions and the previous snapshot. */
static void forget(struct ix_log_writer *w)
{
    ix_definitions_clear(&w->definitions);
    ix_out_free(&w->snapshot);
    ix_facts_out_free(&w->facts);
    free(w->entries);
    w->entries = NULL;
    w->entries_cap = 0;
    w->before = (struct ix_snapshot){0};
}

static void writer_free(struct ix_log_writer *w)
{
    forget(w);
    ix_out_free(&w->meta);
    ix_ended_parts_free(&w->parts);
    free(w);
}

static struct ix_log_writer *writer_new(struct ix_error *err)
{
    struct ix_log_writer *w = calloc(1, sizeof *w);
    if (!w) {
        ix_fail(err, "cannot start a trace log: memory ran out");
        return NULL;
    }
    ix_definitions_init(&w->definitions, &w->output);
    ix_ended_parts_init(&w->parts);
    return w;
}

/* Refuses a path that has parts. Call after creating the file, since a writer that begins a part
 * has no file there for a moment. */
static int check_parts(const char *path, struct ix_error *err)
{
    struct ix_parts parts;
    int status = 0;
    if (ix_parts_find(&parts, path) < 0)
        status = ix_fail(err, "cannot start a trace log: memory ran out");
    else if (parts.count)
        status = ix_fail(err, "cannot create trace log '%s': it has parts, such as '%s.%u'", path,
                         path, parts.numbers[0]);
    ix_parts_free(&parts);
    return status;
}

struct ix_log_writer *ix_log_create(const char *path, struct ix_error *err)
{
    struct ix_log_writer *w = writer_new(err);
    if (!w)
        return NULL;
    if (ix_output_create(&w->output, path, err) < 0) {
        writer_free(w);
        return NULL;
    }
    if (check_parts(path, err) < 0) {
        unlink(path);
        ix_output_close(&w->output);
        writer_free(w);
        return NULL;
    }
    return w;
}

struct ix_log_writer *ix_log_create_fd(int fd, struct ix_error *err)
{
    struct ix_log_writer *w = writer_new(err);
    if (!w) {
        close(fd);
        return NULL;
    }
    if (ix_output_adopt(&w->output, fd, err) < 0) {
        writer_free(w);
        return NULL;
    }
    return w;
}

uint64_t ix_log_writer_bytes(const struct ix_log_writer *w)
{
    return w->output.bytes;
}

const char *ix_log_writer_error(const struct ix_log_writer *w)
{
    return w->failed || w->refused ? w->why.text : NULL;
}

int ix_log_writer_close(struct ix_log_writer *w)
{
    if (!w)
        return 0;
    if (!w->failed && stage(w) == 0)
        flush(w);
    bool closed = ix_output_close(&w->output) == 0;
    int status = closed && !w->failed && !w->refused ? 0 : -1;
    writer_free(w);
    return status;
}

size_t ix_log_writer_memory(const struct ix_log_writer *w)
{
    return ix_definitions_memory(&w->definitions) + w->entries_cap * sizeof *w->entries +
           w->snapshot.cap + w->output.ready.cap + ix_facts_out_memory(&w->facts);
}

/* ---- Definitions ------------------------------------------------------------------------------
 */

/* Returns what a definition returned, after noting whether memory ran out. */
static uint32_t number_given(struct ix_log_writer *w, uint32_t number)
{
    if (w->definitions.failed)
        fail_memory(w);
    return number;
}

static int status_given(struct ix_log_writer *w, int status)
{
    return status < 0 ? fail_memory(w) : 0;
}

/* The text's number; 0 is the empty string, so failure shows in w->failed only. */
static uint32_t string_number(struct ix_log_writer *w, const char *text)
{
    return number_given(w, ix_define_string(&w->definitions, text));
}

int ix_log_meta(struct ix_log_writer *w, const char *key, const char *value)
{
    if (w->failed)
        return -1;
    const struct ix_span k = {key, ix_utf8_bounded(key, IX_LOG_STRING_MAX)};
    const struct ix_span v = {value, ix_utf8_bounded(value, IX_LOG_STRING_MAX)};
    ix_put_string(&w->meta, k.text, k.len);
    ix_put_string(&w->meta, v.text, v.len);
    return w->meta.failed ? fail_memory(w) : status_given(w, ix_define_meta(&w->definitions, k, v));
}

uint32_t ix_log_class(struct ix_log_writer *w, const char *name, const char *source)
{
    return w->failed ? 0 : number_given(w, ix_define_class(&w->definitions, name, source));
}

uint32_t ix_log_method(struct ix_log_writer *w, uint32_t class_number, const char *name,
                       const char *descriptor)
{
    struct ix_definitions *d = &w->definitions;
    if (class_number - 1 >= d->classes.count)
        return refuse(w, "a method of class %u, which is not defined", class_number), 0;
    return w->failed ? 0 : number_given(w, ix_define_method(d, class_number, name, descriptor));
}

uint32_t ix_log_frame(struct ix_log_writer *w, uint32_t method, int32_t line)
{
    struct ix_definitions *d = &w->definitions;
    if (method - 1 >= d->methods.count)
        return refuse(w, "a frame of method %u, which is not defined", method), 0;
    return w->failed ? 0 : number_given(w, ix_define_frame(d, method, line));
}

uint32_t ix_log_stack(struct ix_log_writer *w, uint32_t parent, uint32_t frame)
{
    struct ix_definitions *d = &w->definitions;
    if (parent >= IX_STACK_FIRST + d->stacks.count)
        return refuse(w, "a stack upon stack %u, which is not defined", parent), 0;
    if (frame - 1 >= d->frames.count)
        return refuse(w, "a stack of frame %u, which is not defined", frame), 0;
    return w->failed ? 0 : number_given(w, ix_define_stack(d, parent, frame));
}

int ix_log_thread(struct ix_log_writer *w, const struct ix_thread *thread)
{
    struct ix_definitions *d = &w->definitions;
    if (thread->number == 0 || thread->number > d->thread_count + 1)
        return refuse(w, "thread %u, where %zu is the highest so far", thread->number,
                      d->thread_count);
    return w->failed ? -1 : status_given(w, ix_define_thread(d, thread));
}

/* ---- Facts about the next snapshot ------------------------------------------------------------
 */

int ix_log_virtual(struct ix_log_writer *w, uint64_t hidden)
{
    if (w->failed)
        return -1;
    w->facts.has_virtual = true;
    w->facts.virtual_hidden = hidden;
    return 0;
}

int ix_log_process(struct ix_log_writer *w, const struct ix_process *process)
{
    if (w->failed)
        return -1;
    w->facts.has_process = true;
    w->facts.process = *process;
    return 0;
}

static int check_lock(struct ix_log_writer *w, const struct ix_lock *lock)
{
    if (lock->thread - 1 >= w->definitions.thread_count)
        return refuse(w, "a lock of thread %u, which is not defined", lock->thread);
    if (lock->class_number - 1 >= w->definitions.classes.count)
        return refuse(w, "a lock on class %u, which is not defined", lock->class_number);
    if (lock->object == 0)
        return refuse(w, "a lock on object 0");
    if ((unsigned)lock->kind > IX_LOCK_LAST || lock->depth < -1)
        return refuse(w, "a lock of kind %u at depth %d", (unsigned)lock->kind, lock->depth);
    if (w->facts.synchronizers_again && lock->kind > IX_LOCK_WAITS)
        return refuse(w, "a synchronizer besides those that are repeated");
    if (ix_put_locks_size(&w->facts, lock->kind) > LIST_MAX - 50)
        return refuse(w, "more locks than a record holds");
    return 0;
}

int ix_log_lock(struct ix_log_writer *w, const struct ix_lock *lock)
{
    if (w->failed || check_lock(w, lock) < 0)
        return -1;
    return ix_put_lock(&w->facts, lock) == 0 ? 0 : fail_memory(w);
}

int ix_log_synchronizers_again(struct ix_log_writer *w)
{
    if (w->failed)
        return -1;
    if (!w->facts.synchronizers_written || w->facts.synchronizer_count)
        return refuse(w, "to repeat synchronizers that are not there");
    w->facts.synchronizers_again = true;
    return 0;
}

static int check_exception(struct ix_log_writer *w, const struct ix_exception *exception)
{
    if (exception->thread > w->definitions.thread_count)
        return refuse(w, "an exception of thread %u, which is not defined", exception->thread);
    if (exception->class_number - 1 >= w->definitions.classes.count)
        return refuse(w, "an exception of class %u, which is not defined", exception->class_number);
    if (exception->frame - 1 >= w->definitions.frames.count)
        return refuse(w, "an exception in frame %u, which is not defined", exception->frame);
    if (exception->count == 0)
        return refuse(w, "an exception that was never thrown");
    if (w->facts.exceptions.len > LIST_MAX - 50)
        return refuse(w, "more exceptions than a record holds");
    return 0;
}

int ix_log_exception(struct ix_log_writer *w, const struct ix_exception *exception)
{
    if (w->failed || check_exception(w, exception) < 0)
        return -1;
    ix_put_exception(&w->facts, exception);
    return w->facts.exceptions.failed ? fail_memory(w) : 0;
}

int ix_log_exceptions_dropped(struct ix_log_writer *w, uint64_t dropped)
{
    if (w->failed)
        return -1;
    w->facts.exceptions_dropped = dropped;
    return 0;
}

/* False: refused. */
static bool check_thread(struct ix_log_writer *w, uint32_t thread, const char *what)
{
    if (thread - 1 < w->definitions.thread_count)
        return true;
    refuse(w, "%s of thread %u, which is not defined", what, thread);
    return false;
}

static bool check_stack(struct ix_log_writer *w, uint32_t stack, const char *what)
{
    if (stack < IX_STACK_FIRST + w->definitions.stacks.count)
        return true;
    refuse(w, "%s of stack %u, which is not defined", what, stack);
    return false;
}

static int check_first(struct ix_log_writer *w, const struct ix_first *first)
{
    if (first->thread > w->definitions.thread_count)
        return refuse(w, "an exception of thread %u, which is not defined", first->thread);
    if (first->class_number - 1 >= w->definitions.classes.count)
        return refuse(w, "an exception of class %u, which is not defined", first->class_number);
    if (!check_stack(w, first->stack, "an exception"))
        return -1;
    if (w->facts.firsts.len > LIST_MAX - 50)
        return refuse(w, "more first exceptions than a record holds");
    return 0;
}

int ix_log_first(struct ix_log_writer *w, const struct ix_first *first)
{
    if (w->failed || check_first(w, first) < 0)
        return -1;
    ix_put_first(&w->facts, first);
    return w->facts.firsts.failed ? fail_memory(w) : 0;
}

int ix_log_firsts_dropped(struct ix_log_writer *w, uint64_t dropped)
{
    if (w->failed)
        return -1;
    w->facts.firsts_dropped = dropped;
    return 0;
}

/* The three lists are in one record. */
static bool check_room(struct ix_log_writer *w)
{
    const struct ix_facts_out *f = &w->facts;
    if (f->waits.len + f->changes.len + f->joins.len <= LIST_MAX - 100)
        return true;
    refuse(w, "more connections than a record holds");
    return false;
}

int ix_log_starter(struct ix_log_writer *w, const struct ix_starter *starter)
{
    if (w->failed || !check_thread(w, starter->thread, "the starter") ||
        !check_stack(w, starter->stack, "the starter"))
        return -1;
    if (w->facts.starters.len > LIST_MAX - 50)
        return refuse(w, "more starters than a record holds");
    ix_put_starter(&w->facts, starter);
    return w->facts.starters.failed ? fail_memory(w) : 0;
}

int ix_log_turns(struct ix_log_writer *w, const struct ix_turns *turns)
{
    if (w->failed || !check_thread(w, turns->thread, "turns"))
        return -1;
    if (!turns->turns || w->facts.turns.len > LIST_MAX - 50)
        return refuse(w, "turns that are none, or more than a record holds");
    ix_put_turns(&w->facts, turns);
    return w->facts.turns.failed ? fail_memory(w) : 0;
}

int ix_log_traffic(struct ix_log_writer *w, const struct ix_traffic *traffic)
{
    if (w->failed)
        return -1;
    if ((unsigned)traffic->last > IX_SPOKE_THERE || w->facts.traffic.len > LIST_MAX - 100)
        return refuse(w, "traffic of kind %u, or more of it than a record holds",
                      (unsigned)traffic->last);
    const uint32_t local = string_number(w, traffic->local);
    const uint32_t remote = string_number(w, traffic->remote);
    if (!w->failed)
        ix_put_traffic(&w->facts, traffic, local, remote);
    return w->failed || w->facts.traffic.failed ? fail_memory(w) : 0;
}

int ix_log_invocations(struct ix_log_writer *w, const struct ix_invocations *invocations)
{
    if (w->failed)
        return -1;
    if (invocations->method - 1 >= w->definitions.methods.count)
        return refuse(w, "invocations of method %u, which is not defined", invocations->method);
    if ((!invocations->count && !invocations->at_least) || invocations->count > UINT64_MAX / 2 ||
        w->facts.invocations.len > LIST_MAX - 50)
        return refuse(w, "invocations that are none, or more than a record holds");
    ix_put_invocations(&w->facts, invocations);
    return w->facts.invocations.failed ? fail_memory(w) : 0;
}

int ix_log_covered(struct ix_log_writer *w, const struct ix_covered *covered)
{
    if (w->failed)
        return -1;
    if (covered->frame - 1 >= w->definitions.frames.count)
        return refuse(w, "coverage of frame %u, which is not defined", covered->frame);
    if (w->facts.covered.len > LIST_MAX - 50)
        return refuse(w, "more coverage than a record holds");
    ix_put_covered(&w->facts, covered);
    return w->facts.covered.failed ? fail_memory(w) : 0;
}

int ix_log_pause(struct ix_log_writer *w, const struct ix_pause *pause)
{
    if (w->failed)
        return -1;
    if (pause->frame - 1 >= w->definitions.frames.count)
        return refuse(w, "a pause of frame %u, which is not defined", pause->frame);
    if (w->facts.pauses.len > LIST_MAX - 50)
        return refuse(w, "more pauses than a record holds");
    ix_put_pause(&w->facts, pause);
    return w->facts.pauses.failed ? fail_memory(w) : 0;
}

int ix_log_wait(struct ix_log_writer *w, const struct ix_wait *wait)
{
    if (w->failed || !check_thread(w, wait->thread, "a wait") || !check_room(w))
        return -1;
    if ((unsigned)wait->kind > IX_WAIT_POLL)
        return refuse(w, "a wait of kind %u", (unsigned)wait->kind);
    const uint32_t local = string_number(w, wait->local), remote = string_number(w, wait->remote);
    if (!w->failed)
        ix_put_wait(&w->facts, wait, local, remote);
    return w->failed || w->facts.waits.failed ? fail_memory(w) : 0;
}

int ix_log_connection(struct ix_log_writer *w, const struct ix_connection *connection)
{
    if (w->failed || !check_room(w) ||
        (connection->thread && !check_thread(w, connection->thread, "a connection")))
        return -1;
    if ((unsigned)connection->state > IX_CONNECTION_LISTENS)
        return refuse(w, "a connection of state %u", (unsigned)connection->state);
    const uint32_t local = string_number(w, connection->local);
    const uint32_t remote = string_number(w, connection->remote);
    if (!w->failed)
        ix_put_connection(&w->facts, connection, local, remote);
    return w->failed || w->facts.changes.failed ? fail_memory(w) : 0;
}

int ix_log_join(struct ix_log_writer *w, const struct ix_join *join)
{
    if (w->failed || !check_thread(w, join->thread, "a join") ||
        !check_thread(w, join->joined, "a join") || !check_room(w))
        return -1;
    ix_put_join(&w->facts, join);
    return w->facts.joins.failed ? fail_memory(w) : 0;
}

int ix_log_connection_flags(struct ix_log_writer *w, unsigned flags)
{
    if (w->failed)
        return -1;
    if (flags & ~(IX_CONNECTIONS_HIDDEN | IX_CONNECTIONS_PARTIAL))
        return refuse(w, "flags %u of connections", flags);
    w->facts.connection_flags |= flags;
    return 0;
}

/* Frames all waiting facts as records, after what is staged. */
static int stage_facts(struct ix_log_writer *w)
{
    for (uint8_t type = IX_FACT_FIRST; type <= IX_FACT_LAST; type++) {
        ix_out_clear(&w->snapshot);
        if (!ix_put_facts(&w->snapshot, type, &w->facts))
            continue;
        if (w->snapshot.failed)
            return fail_memory(w);
        ix_output_record(&w->output, type, &w->snapshot);
    }
    return w->output.ready.failed ? fail_memory(w) : 0;
}

/* ---- Snapshots --------------------------------------------------------------------------------
 */

static int check_snapshot(struct ix_log_writer *w, const struct ix_snapshot *snapshot)
{
    unsigned long long packet = snapshot->packet;
    if (w->any_before && snapshot->packet <= w->last_packet)
        return refuse(w, "packet %llu, which is not above the one before", packet);
    uint32_t last = 0;
    for (size_t i = 0; i < snapshot->count; i++) {
        const struct ix_entry *entry = &snapshot->entries[i];
        if (entry->thread <= last)
            return refuse(w, "packet %llu: thread %u is not above the one before it", packet,
                          entry->thread);
        if (entry->thread > w->definitions.thread_count)
            return refuse(w, "packet %llu: thread %u is not defined", packet, entry->thread);
        if (entry->stack >= IX_STACK_FIRST + w->definitions.stacks.count)
            return refuse(w, "packet %llu: stack %u is not defined", packet, entry->stack);
        last = entry->thread;
    }
    return 0;
}

/* Keeps what the next snapshot's edits start from. */
static int remember(struct ix_log_writer *w, const struct ix_snapshot *snapshot)
{
    struct ix_entry *entries =
        ix_grow(w->entries, &w->entries_cap, snapshot->count, sizeof *entries);
    if (!entries)
        return fail_memory(w);
    if (snapshot->count)
        memcpy(entries, snapshot->entries, snapshot->count * sizeof *entries);
    w->entries = entries;
    w->before = *snapshot;
    w->before.entries = entries;
    w->any_before = true;
    w->last_packet = snapshot->packet;
    return 0;
}

static int put_snapshot(struct ix_log_writer *w, const struct ix_snapshot *snapshot)
{
    struct ix_out *payload = &w->snapshot;
    const size_t definitions = w->output.ready.len;
    if (stage_facts(w) < 0)
        return -1;
    ix_out_clear(payload);
    ix_put_snapshot(payload, &w->before, snapshot);
    if (payload->failed)
        return fail_memory(w);
    if (payload->len > IX_LOG_PAYLOAD_MAX) {
        w->output.ready.len = definitions; /* the facts are about this one */
        return refuse(w, "packet %llu: %zu threads are more than a record holds",
                      (unsigned long long)snapshot->packet, snapshot->count);
    }
    ix_output_record(&w->output, IX_LOG_SNAPSHOT, payload);
    if (w->output.ready.failed)
        return fail_memory(w);
    return flush(w) < 0 ? -1 : remember(w, snapshot);
}

int ix_log_snapshot(struct ix_log_writer *w, const struct ix_snapshot *snapshot)
{
    int status = -1;
    if (!w->failed && check_snapshot(w, snapshot) == 0 && stage(w) == 0)
        status = put_snapshot(w, snapshot);
    ix_facts_out_clear(&w->facts);
    return status;
}

int ix_log_rest(struct ix_log_writer *w)
{
    const int status = !w->failed && stage(w) == 0 && stage_facts(w) == 0 ? flush(w) : -1;
    ix_facts_out_clear(&w->facts);
    return status;
}

/* ---- The next part ----------------------------------------------------------------------------
 */

/* Repeats the META pairs and adds the number of this part. */
static int repeat_meta(struct ix_log_writer *w)
{
    struct ix_in in = ix_in_of(w->meta.data, w->meta.len);
    while (ix_in_left(&in)) {
        const struct ix_span key = ix_get_string(&in, IX_LOG_STRING_MAX);
        const struct ix_span value = ix_get_string(&in, IX_LOG_STRING_MAX);
        if (ix_define_meta(&w->definitions, key, value) < 0)
            return fail_memory(w);
    }
    char number[16];
    const struct ix_span key = {IX_LOG_PART_KEY, strlen(IX_LOG_PART_KEY)};
    const int len = snprintf(number, sizeof number, "%u", w->parts.next);
    return status_given(
        w, ix_define_meta(&w->definitions, key, (struct ix_span){number, (size_t)len}));
}

static int end_part(struct ix_log_writer *w)
{
    struct ix_error err;
    const uint64_t size = w->output.bytes;
    if (ix_ended_parts_reserve(&w->parts) < 0)
        return fail_memory(w);
    if (ix_output_next(&w->output, w->parts.next, &err) < 0)
        return fail(w, "%s", err.text);
    ix_ended_parts_add(&w->parts, size);
    return 0;
}

int ix_log_next_part(struct ix_log_writer *w)
{
    if (w->failed)
        return -1;
    if (!w->output.path)
        return refuse(w, "a further part of a log that has no path");
    if (stage(w) < 0 || flush(w) < 0 || end_part(w) < 0)
        return -1;
    forget(w);
    return repeat_meta(w) < 0 || stage(w) < 0 ? -1 : flush(w);
}

void ix_log_limit(struct ix_log_writer *w, uint64_t bytes)
{
    w->parts.limit = bytes;
}
