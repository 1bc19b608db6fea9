/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/import/snapshots.h"

#include <stdlib.h>
#include <string.h>

#include "schema/base/grow.h"
#include "schema/base/idmap.h"
#include "schema/base/utf8.h"
#include "schema/tracelog/writer.h"

enum {
    PART_MEMORY = 128 << 20,
    /* JVMs print 1,024 frames of a thread unless told otherwise. */
    DEEPEST = 16384,
};
/* A synchronizer and a monitor are different objects of a record (tracelog.md). */
#define SYNCHRONIZER (UINT64_C(1) << 63)

struct dump_log {
    struct ix_log_writer *writer;
    struct ix_idmap threads; /* by identifier: the thread's number in this part */
    uint32_t thread_count;
    uint64_t *seen; /* owned; by thread: the last dump that it was in */
    size_t seen_cap;
    struct ix_idmap objects; /* of the present dump: their numbers */
    uint32_t object_count;
    struct ix_out text[6]; /* terminated texts: scratch, and the present thread's */

    uint64_t dump; /* number of the present one */
    struct dump_written written;
    struct ix_entry *entries; /* owned, as what follows */
    size_t count, cap;
    struct ix_lock *locks; /* of all threads */
    size_t lock_count, lock_cap;

    struct dump_thread thread; /* the present one; its texts are in `text` */
    uint32_t *frames;
    size_t frame_count, frame_cap;
    size_t first_lock;
};

static int no_memory(struct ix_error *err)
{
    return ix_fail(err, "out of memory");
}

static int writer_failed(const struct dump_log *log, struct ix_error *err)
{
    return ix_fail(err, "%s", ix_log_writer_error(log->writer));
}

/* Terminated and valid UTF-8; NULL: out of memory. */
static const char *text_of(struct ix_out *text, struct ix_span raw)
{
    ix_out_clear(text);
    for (size_t at = 0; at < raw.len;) {
        const size_t len = ix_utf8_length(raw.text + at, raw.len - at);
        if (len)
            ix_put_bytes(text, raw.text + at, len);
        else
            ix_put_bytes(text, "\xEF\xBF\xBD", 3);
        at += len ? len : 1;
    }
    ix_put_u8(text, 0);
    return text->failed ? NULL : (const char *)text->data;
}

/* ---- threads ---- */

enum { NAME = 4, GROUP = 5 };

static int take_thread(void *user, const struct dump_thread *thread, struct ix_error *err)
{
    struct dump_log *log = user;
    log->thread = *thread;
    log->frame_count = 0;
    log->first_lock = log->lock_count;
    return text_of(&log->text[NAME], thread->name) && text_of(&log->text[GROUP], thread->group)
               ? 0
               : no_memory(err);
}

static int take_frame(void *user, const struct dump_frame *frame, struct ix_error *err)
{
    struct dump_log *log = user;
    const char *class_name = text_of(&log->text[0], frame->class_name);
    const char *source = text_of(&log->text[1], frame->source);
    const char *method = text_of(&log->text[2], frame->method);
    const char *descriptor = text_of(&log->text[3], frame->descriptor);
    if (log->frame_count > DEEPEST)
        return 0;
    uint32_t *frames = ix_grow(log->frames, &log->frame_cap, log->frame_count + 1, sizeof *frames);
    if (!frames || !class_name || !source || !method || !descriptor)
        return no_memory(err);
    log->frames = frames;
    const uint32_t in = ix_log_class(log->writer, class_name, source);
    const uint32_t called = in ? ix_log_method(log->writer, in, method, descriptor) : 0;
    const uint32_t number = called ? ix_log_frame(log->writer, called, frame->line) : 0;
    if (!number)
        return writer_failed(log, err);
    frames[log->frame_count++] = number;
    return 0;
}

/* ---- locks ---- */

static int take_lock(void *user, const struct dump_lock *lock, struct ix_error *err)
{
    struct dump_log *log = user;
    const bool synchronizer =
        lock->kind == IX_LOCK_PARKED || lock->kind == IX_LOCK_OWNS_SYNCHRONIZER;
    const uint64_t key = lock->object ^ (synchronizer ? SYNCHRONIZER : 0);
    const char *class_name = text_of(&log->text[0], lock->class_name);
    struct ix_lock *locks = ix_grow(log->locks, &log->lock_cap, log->lock_count + 1, sizeof *locks);
    if (!locks || !class_name)
        return no_memory(err);
    log->locks = locks;
    uint32_t object = ix_idmap_get(&log->objects, key);
    if (!object) {
        object = ++log->object_count;
        if (ix_idmap_put(&log->objects, key, object) != 0)
            return no_memory(err);
    }
    const uint32_t in = ix_log_class(log->writer, class_name, "");
    if (!in)
        return writer_failed(log, err);
    locks[log->lock_count++] = (struct ix_lock){
        .kind = lock->kind, .object = object, .class_number = in, .depth = lock->depth};
    return 0;
}

/* In Object.wait a thread does not own the object that it waits on, though dumps say "locked"
 * where it entered. */
static void keep_locks(struct dump_log *log, uint32_t thread)
{
    uint64_t waits_on = 0;
    size_t kept = log->first_lock;
    for (size_t i = log->first_lock; i < log->lock_count; i++) {
        log->locks[i].thread = thread;
        if (log->locks[i].kind == IX_LOCK_WAITS || log->locks[i].kind == IX_LOCK_ENTERS)
            waits_on = log->locks[i].object;
    }
    for (size_t i = log->first_lock; i < log->lock_count; i++)
        if (log->locks[i].kind != IX_LOCK_OWNS || log->locks[i].object != waits_on)
            log->locks[kept++] = log->locks[i];
    log->lock_count = kept;
}

/* ---- the end of a thread, and of a dump ---- */

/* The present thread's number; 0: it is in the dump twice. -1: out of memory. */
static int64_t find_thread(struct dump_log *log)
{
    uint32_t number = ix_idmap_get(&log->threads, log->thread.id);
    if (!number) {
        number = log->thread_count + 1;
        const size_t before = log->seen_cap;
        uint64_t *seen = ix_grow(log->seen, &log->seen_cap, (size_t)number + 1, sizeof *seen);
        if (!seen)
            return -1;
        memset(seen + before, 0, (log->seen_cap - before) * sizeof *seen);
        log->seen = seen;
        if (ix_idmap_put(&log->threads, log->thread.id, number) != 0)
            return -1;
        log->thread_count++;
    }
    if (log->seen[number] == log->dump)
        return 0;
    log->seen[number] = log->dump;
    return number;
}

/* The number of the stack; 0: the writer failed. */
static uint32_t build_stack(struct dump_log *log, bool cut)
{
    uint32_t stack = cut ? IX_STACK_CUT : IX_STACK_EMPTY;
    for (size_t i = log->frame_count; i-- > 0;)
        if (!(stack = ix_log_stack(log->writer, stack, log->frames[i])))
            break;
    return stack;
}

static int add_entry(struct dump_log *log, uint32_t number, uint32_t state, bool cut,
                     struct ix_error *err)
{
    const struct ix_thread known = {.number = number,
                                    .start = number,
                                    .id = log->thread.id,
                                    .name = (const char *)log->text[NAME].data,
                                    .group = (const char *)log->text[GROUP].data,
                                    .parent = "",
                                    .priority = log->thread.priority,
                                    .flags = log->thread.flags};
    struct ix_entry *entries = ix_grow(log->entries, &log->cap, log->count + 1, sizeof *entries);
    if (!entries)
        return no_memory(err);
    log->entries = entries;
    const uint32_t stack = build_stack(log, cut);
    if ((log->frame_count && !stack) || ix_log_thread(log->writer, &known) != 0)
        return writer_failed(log, err);
    entries[log->count++] = (struct ix_entry){number, state, stack};
    log->written.frames += log->frame_count;
    return 0;
}

static int take_end(void *user, uint32_t state, enum dump_end how, struct ix_error *err)
{
    struct dump_log *log = user;
    const int64_t number = how == DUMP_TORN ? 0 : find_thread(log);
    if (number < 0)
        return no_memory(err);
    if (number == 0) {
        log->lock_count = log->first_lock;
        log->written.torn++;
        return 0;
    }
    keep_locks(log, (uint32_t)number);
    return add_entry(log, (uint32_t)number, state, how == DUMP_CUT || log->frame_count > DEEPEST,
                     err);
}

struct dump_sink dump_log_sink(struct dump_log *log)
{
    return (struct dump_sink){log, take_thread, take_frame, take_lock, take_end};
}

static int begin_part(struct dump_log *log, struct ix_error *err)
{
    if (ix_log_writer_memory(log->writer) < PART_MEMORY)
        return 0;
    ix_idmap_clear(&log->threads);
    log->thread_count = 0;
    if (log->seen_cap)
        memset(log->seen, 0, log->seen_cap * sizeof *log->seen);
    return ix_log_next_part(log->writer) == 0 ? 0 : writer_failed(log, err);
}

int dump_log_begin(struct dump_log *log, struct ix_error *err)
{
    log->dump++;
    log->count = log->lock_count = 0;
    log->object_count = 0;
    log->written = (struct dump_written){0};
    ix_idmap_clear(&log->objects);
    return begin_part(log, err);
}

static int by_thread(const void *left, const void *right)
{
    const struct ix_entry *a = left, *b = right;
    return (a->thread > b->thread) - (a->thread < b->thread);
}

int dump_log_end(struct dump_log *log, uint64_t packet, int64_t real_ns,
                 struct dump_written *written, struct ix_error *err)
{
    if (log->count)
        qsort(log->entries, log->count, sizeof *log->entries, by_thread);
    for (size_t i = 0; i < log->lock_count; i++)
        if (ix_log_lock(log->writer, &log->locks[i]) != 0)
            return writer_failed(log, err);
    const struct ix_snapshot s = {.packet = packet,
                                  .mono_ns = real_ns,
                                  .real_ns = real_ns,
                                  .missed = log->written.torn,
                                  .entries = log->entries,
                                  .count = log->count};
    if (ix_log_snapshot(log->writer, &s) != 0)
        return writer_failed(log, err);
    log->written.threads = log->count;
    *written = log->written;
    return 0;
}

/* ---- the log ---- */

struct dump_log *dump_log_new(const char *path, struct ix_error *err)
{
    struct dump_log *log = calloc(1, sizeof *log);
    if (!log) {
        no_memory(err);
        return NULL;
    }
    log->writer = ix_log_create(path, err);
    if (log->writer)
        return log;
    free(log);
    return NULL;
}

int dump_log_meta(struct dump_log *log, const char *key, const char *value, struct ix_error *err)
{
    const char *text = text_of(&log->text[0], (struct ix_span){value, strlen(value)});
    if (!text)
        return no_memory(err);
    return !*text || ix_log_meta(log->writer, key, text) == 0 ? 0 : writer_failed(log, err);
}

int dump_log_close(struct dump_log *log, struct ix_error *err)
{
    if (!log)
        return 0;
    const int result = ix_log_writer_close(log->writer);
    ix_idmap_free(&log->threads);
    ix_idmap_free(&log->objects);
    for (size_t i = 0; i < sizeof log->text / sizeof *log->text; i++)
        ix_out_free(&log->text[i]);
    free(log->seen);
    free(log->entries);
    free(log->locks);
    free(log->frames);
    free(log);
    return result == 0 ? 0 : ix_fail(err, "cannot write the trace log");
}
