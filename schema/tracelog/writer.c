#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema/grow.h"
#include "schema/tracelog_edits.h"
#include "schema/tracelog_parts.h"
#include "schema/tracelog_writer_internal.h"

/* A record of definitions is closed when it has this many bytes. Far below the format's bound even
 * with the largest single definition on top, and small enough for a reader's buffer. */
#define RECORD_FULL (1u << 20)

#define FIRST_STACK (IX_STACK_CUT + 1)

/* ---- Failure ---------------------------------------------------------------------------------- */

int ix_writer_fail(struct ix_log_writer *w, const char *format, ...)
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

int ix_writer_fail_memory(struct ix_log_writer *w)
{
    return ix_writer_fail(w, "trace log %s: memory ran out", w->output.name);
}

int ix_writer_refuse(struct ix_log_writer *w, const char *format, ...)
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

/* ---- Records ---------------------------------------------------------------------------------- */

static void end_run(struct ix_log_writer *w)
{
    if (!w->run_length)
        return;
    struct ix_out *stacks = &w->pending[IX_LOG_STACK];
    ix_put_varint(stacks, w->run_parent);
    ix_put_varint(stacks, w->run_length);
    ix_put_bytes(stacks, w->run.data, w->run.len);
    stacks->failed |= w->run.failed;
    ix_out_clear(&w->run);
    w->run_length = 0;
}

/* In order of type, since each kind refers only to itself and to those of smaller types. */
int ix_writer_stage(struct ix_log_writer *w)
{
    end_run(w);
    for (uint8_t type = IX_LOG_META; type <= IX_LOG_THREAD; type++) {
        struct ix_out *payload = &w->pending[type];
        if (payload->failed)
            return ix_writer_fail_memory(w);
        if (payload->len)
            ix_output_record(&w->output, type, payload);
        ix_out_clear(payload);
    }
    return w->output.ready.failed ? ix_writer_fail_memory(w) : 0;
}

/* To be called after each definition. */
static int defined(struct ix_log_writer *w, uint8_t type)
{
    const struct ix_out *out = &w->pending[type];
    if (out->failed || w->run.failed)
        return ix_writer_fail_memory(w);
    return out->len + w->run.len >= RECORD_FULL ? ix_writer_stage(w) : 0;
}

int ix_writer_flush(struct ix_log_writer *w)
{
    struct ix_error err;
    ix_writer_make_room(w, w->output.ready.len);
    return ix_output_flush(&w->output, &err) < 0 ? ix_writer_fail(w, "%s", err.text) : 0;
}

/* ---- Opening and closing ---------------------------------------------------------------------- */

static void writer_free(struct ix_log_writer *w)
{
    ix_writer_forget(w);
    ix_out_free(&w->meta);
    free(w->parts.sizes);
    free(w);
}

static struct ix_log_writer *writer_new(struct ix_error *err)
{
    struct ix_log_writer *w = calloc(1, sizeof *w);
    if (!w) {
        ix_fail(err, "cannot start a trace log: memory ran out");
        return NULL;
    }
    w->classes.key_size = w->frames.key_size = w->stacks.key_size = 2 * sizeof(uint32_t);
    w->methods.key_size = 3 * sizeof(uint32_t);
    w->parts.first = w->parts.next = 1;
    return w;
}

/* Refuses a path that has parts. To be asked for after the file was made, since a writer that
 * begins a part has no file there for a moment. */
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
    if (!w->failed && ix_writer_stage(w) == 0)
        ix_writer_flush(w);
    bool closed = ix_output_close(&w->output) == 0;
    int status = closed && !w->failed && !w->refused ? 0 : -1;
    writer_free(w);
    return status;
}

/* ---- Definitions ------------------------------------------------------------------------------ */

/* The length to write of a text: at most the format's bound, without a torn UTF-8 sequence. */
static size_t bounded_length(const char *text)
{
    size_t len = strnlen(text, IX_LOG_STRING_MAX + 1);
    if (len <= IX_LOG_STRING_MAX)
        return len;
    size_t cut = IX_LOG_STRING_MAX;
    while (cut > IX_LOG_STRING_MAX - 3 && ((unsigned char)text[cut] & 0xc0) == 0x80)
        cut--;
    return cut;
}

/* The text's number; 0 is the empty string, so failure shows in w->failed only. */
static uint32_t string_number(struct ix_log_writer *w, const char *text)
{
    if (w->failed || !*text)
        return 0;
    size_t len = bounded_length(text);
    bool added;
    uint32_t index = ix_intern(&w->strings, text, len, &added);
    if (index == IX_INTERN_FAILED) {
        ix_writer_fail_memory(w);
        return 0;
    }
    if (added) {
        ix_put_string(&w->pending[IX_LOG_STRING], text, len);
        defined(w, IX_LOG_STRING);
    }
    return index + 1;
}

int ix_writer_meta(struct ix_log_writer *w, const char *key, size_t key_len, const char *value,
                   size_t value_len)
{
    struct ix_out *out = &w->pending[IX_LOG_META];
    ix_put_string(out, key, key_len);
    ix_put_string(out, value, value_len);
    return defined(w, IX_LOG_META);
}

int ix_log_meta(struct ix_log_writer *w, const char *key, const char *value)
{
    if (w->failed)
        return -1;
    const size_t key_len = bounded_length(key), value_len = bounded_length(value);
    ix_put_string(&w->meta, key, key_len);
    ix_put_string(&w->meta, value, value_len);
    return w->meta.failed ? ix_writer_fail_memory(w)
                          : ix_writer_meta(w, key, key_len, value, value_len);
}

uint32_t ix_log_class(struct ix_log_writer *w, const char *name, const char *source)
{
    uint32_t key[2] = {string_number(w, name), string_number(w, source)};
    if (w->failed)
        return 0;
    bool added;
    uint32_t index = ix_intern(&w->classes, key, sizeof key, &added);
    if (index == IX_INTERN_FAILED)
        return ix_writer_fail_memory(w), 0;
    if (added) {
        struct ix_out *out = &w->pending[IX_LOG_CLASS];
        ix_put_varint(out, key[0]);
        ix_put_varint(out, key[1]);
        defined(w, IX_LOG_CLASS);
    }
    return w->failed ? 0 : index + 1;
}

uint32_t ix_log_method(struct ix_log_writer *w, uint32_t class_number, const char *name,
                       const char *descriptor)
{
    if (class_number - 1 >= w->classes.count)
        return ix_writer_refuse(w, "a method of class %u, which is not defined", class_number), 0;
    uint32_t key[3] = {class_number, string_number(w, name), string_number(w, descriptor)};
    if (w->failed)
        return 0;
    bool added;
    uint32_t index = ix_intern(&w->methods, key, sizeof key, &added);
    if (index == IX_INTERN_FAILED)
        return ix_writer_fail_memory(w), 0;
    if (added) {
        struct ix_out *out = &w->pending[IX_LOG_METHOD];
        ix_put_varint(out, key[0]);
        ix_put_varint(out, key[1]);
        ix_put_varint(out, key[2]);
        defined(w, IX_LOG_METHOD);
    }
    return w->failed ? 0 : index + 1;
}

uint32_t ix_log_frame(struct ix_log_writer *w, uint32_t method, int32_t line)
{
    if (method - 1 >= w->methods.count)
        return ix_writer_refuse(w, "a frame of method %u, which is not defined", method), 0;
    if (w->failed)
        return 0;
    uint32_t key[2] = {method, (uint32_t)line};
    bool added;
    uint32_t index = ix_intern(&w->frames, key, sizeof key, &added);
    if (index == IX_INTERN_FAILED)
        return ix_writer_fail_memory(w), 0;
    if (added) {
        struct ix_out *out = &w->pending[IX_LOG_FRAME];
        ix_put_varint(out, method);
        ix_put_zigzag(out, line);
        defined(w, IX_LOG_FRAME);
    }
    return w->failed ? 0 : index + 1;
}

uint32_t ix_log_stack(struct ix_log_writer *w, uint32_t parent, uint32_t frame)
{
    if (parent >= FIRST_STACK + w->stacks.count)
        return ix_writer_refuse(w, "a stack upon stack %u, which is not defined", parent), 0;
    if (frame - 1 >= w->frames.count)
        return ix_writer_refuse(w, "a stack of frame %u, which is not defined", frame), 0;
    if (w->failed)
        return 0;
    uint32_t key[2] = {parent, frame};
    bool added;
    uint32_t index = ix_intern(&w->stacks, key, sizeof key, &added);
    if (index == IX_INTERN_FAILED)
        return ix_writer_fail_memory(w), 0;
    uint32_t number = FIRST_STACK + index;
    if (added) {
        /* A new call stack arrives frame by frame, each upon the one just defined. */
        if (!w->run_length || parent != number - 1) {
            end_run(w);
            w->run_parent = parent;
        }
        w->run_length++;
        ix_put_varint(&w->run, frame);
        defined(w, IX_LOG_STACK);
    }
    return w->failed ? 0 : number;
}

static bool same_thread(const struct ix_writer_thread *a, const struct ix_writer_thread *b)
{
    return a->start == b->start && a->id == b->id && a->name == b->name && a->group == b->group &&
           a->parent == b->parent && a->priority == b->priority && a->flags == b->flags;
}

int ix_log_thread(struct ix_log_writer *w, const struct ix_thread *thread)
{
    if (thread->number == 0 || thread->number > w->thread_count + 1)
        return ix_writer_refuse(w, "thread %u, where %zu is the highest so far", thread->number,
                      w->thread_count);
    struct ix_writer_thread def = {
        .start = thread->start,
        .id = thread->id,
        .name = string_number(w, thread->name),
        .group = string_number(w, thread->group),
        .parent = string_number(w, thread->parent),
        .priority = thread->priority,
        .flags = thread->flags,
    };
    if (w->failed)
        return -1;
    struct ix_writer_thread *threads =
        ix_grow(w->threads, &w->thread_cap, thread->number, sizeof *threads);
    if (!threads)
        return ix_writer_fail_memory(w);
    w->threads = threads;
    if (thread->number <= w->thread_count && same_thread(&threads[thread->number - 1], &def))
        return 0;
    threads[thread->number - 1] = def;
    if (thread->number > w->thread_count)
        w->thread_count = thread->number;
    struct ix_out *out = &w->pending[IX_LOG_THREAD];
    ix_put_varint(out, thread->number);
    ix_put_varint(out, def.start);
    ix_put_varint(out, def.id);
    ix_put_varint(out, def.name);
    ix_put_varint(out, def.group);
    ix_put_varint(out, def.parent);
    ix_put_zigzag(out, def.priority);
    ix_put_varint(out, def.flags);
    return defined(w, IX_LOG_THREAD);
}

/* ---- Snapshots -------------------------------------------------------------------------------- */

static int check_snapshot(struct ix_log_writer *w, const struct ix_snapshot *snapshot)
{
    unsigned long long packet = snapshot->packet;
    if (w->any_before && snapshot->packet <= w->last_packet)
        return ix_writer_refuse(w, "packet %llu, which is not above the one before", packet);
    uint32_t last = 0;
    for (size_t i = 0; i < snapshot->count; i++) {
        const struct ix_entry *entry = &snapshot->entries[i];
        if (entry->thread <= last)
            return ix_writer_refuse(w, "packet %llu: thread %u is not above the one before it",
                                    packet, entry->thread);
        if (entry->thread > w->thread_count)
            return ix_writer_refuse(w, "packet %llu: thread %u is not defined", packet,
                                    entry->thread);
        if (entry->stack >= FIRST_STACK + w->stacks.count)
            return ix_writer_refuse(w, "packet %llu: stack %u is not defined", packet,
                                    entry->stack);
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
        return ix_writer_fail_memory(w);
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
    if (ix_writer_stage_facts(w) < 0)
        return -1;
    ix_out_clear(payload);
    ix_put_snapshot(payload, &w->before, snapshot);
    if (payload->failed)
        return ix_writer_fail_memory(w);
    if (payload->len > IX_LOG_PAYLOAD_MAX) {
        w->output.ready.len = definitions; /* the facts are about this one */
        return ix_writer_refuse(w, "packet %llu: %zu threads are more than a record holds",
                                (unsigned long long)snapshot->packet, snapshot->count);
    }
    ix_output_record(&w->output, IX_LOG_SNAPSHOT, payload);
    if (w->output.ready.failed)
        return ix_writer_fail_memory(w);
    return ix_writer_flush(w) < 0 ? -1 : remember(w, snapshot);
}

int ix_log_snapshot(struct ix_log_writer *w, const struct ix_snapshot *snapshot)
{
    int status = -1;
    if (!w->failed && check_snapshot(w, snapshot) == 0 && ix_writer_stage(w) == 0)
        status = put_snapshot(w, snapshot);
    ix_facts_out_clear(&w->facts);
    return status;
}
