/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/legacy/convert.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/legacy/map.h"
#include "schema/base/grow.h"

/* The result for one of the reader's threads. */
struct thread {
    uint32_t number;       /* the trace log's, for its first occurrence in a block; 0: none yet */
    uint32_t block, times; /* the block in which it occurred last, and how often */
};

/* The result for one of the reader's stacks. */
struct stack {
    uint32_t number;     /* the trace log's; 0 none yet */
    uint64_t generation; /* of identifiers, at the time it got the number */
};

struct text_convert {
    struct ix_log_writer *writer;
    char *name;
    struct text_map methods, classes; /* identifier, 0 -> log number; mark: block that defined it */
    struct text_map alike;            /* thread, occurrence (from 1) -> log number */
    struct thread *threads;           /* by the reader's number */
    struct stack *stacks;
    size_t thread_room, thread_cap, stack_room, stack_cap;
    uint32_t thread_count; /* numbers assigned so far */
    uint32_t block;        /* blocks so far, including this one */
    uint64_t generation;   /* counts changes of meaning of identifiers; older stacks are invalid */
    struct ix_entry *entries;
    size_t entries_cap;
};

struct text_convert *text_convert_new(struct ix_log_writer *writer, const char *name,
                                      struct ix_error *err)
{
    struct text_convert *c = calloc(1, sizeof *c);
    if (c && !(c->name = strdup(name))) {
        free(c);
        c = NULL;
    }
    if (!c) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    c->writer = writer;
    return c;
}

void text_convert_free(struct text_convert *c)
{
    if (!c)
        return;
    text_map_free(&c->methods);
    text_map_free(&c->classes);
    text_map_free(&c->alike);
    free(c->threads);
    free(c->stacks);
    free(c->entries);
    free(c->name);
    free(c);
}

static int no_memory(struct ix_error *err)
{
    return ix_fail(err, "out of memory");
}

static int writer_failed(const struct text_convert *c, struct ix_error *err)
{
    const char *why = ix_log_writer_error(c->writer);
    return ix_fail(err, "%s", why ? why : "cannot write the trace log");
}

/* ---- classes and methods ---- */

/* Maps `id` to `number`; sets *changed if it had another meaning. */
static int define(struct text_convert *c, struct text_map *map, const char *kind, uint64_t id,
                  uint32_t number, uint64_t line_number, bool *changed, struct ix_error *err)
{
    struct text_slot *slot = text_map_put(map, id, 0);
    if (!slot)
        return no_memory(err);
    if (slot->mark == c->block && slot->number != number)
        return ix_fail(
            err, "%s:%" PRIu64 ": found a second %s %08" PRIX64 " in one block, expected each once",
            c->name, line_number, kind, id);
    *changed = slot->number != 0 && slot->number != number;
    slot->number = number;
    slot->mark = c->block;
    return 0;
}

static int define_classes(struct text_convert *c, const struct text_block *b, struct ix_error *err)
{
    for (size_t i = 0; i < b->class_count; i++) {
        const struct text_class *class = &b->classes[i];
        uint32_t number =
            ix_log_class(c->writer, text_at(b, class->name), text_at(b, class->source));
        bool changed;
        if (number == 0)
            return writer_failed(c, err);
        if (define(c, &c->classes, "class", class->id, number, class->line_number, &changed, err) !=
            0)
            return -1;
    }
    return 0;
}

static int define_methods(struct text_convert *c, const struct text_block *b, struct ix_error *err)
{
    for (size_t i = 0; i < b->method_count; i++) {
        const struct text_method *m = &b->methods[i];
        const struct text_slot *class = text_map_get(&c->classes, m->class_id, 0);
        if (!class)
            return ix_fail(err,
                           "%s:%" PRIu64 ": found class %08" PRIX64
                           ", expected one that this block "
                           "or one before it writes",
                           c->name, m->line_number, m->class_id);
        uint32_t number =
            ix_log_method(c->writer, class->number, text_at(b, m->name), text_at(b, m->descriptor));
        bool changed;
        if (number == 0)
            return writer_failed(c, err);
        if (define(c, &c->methods, "method", m->id, number, m->line_number, &changed, err) != 0)
            return -1;
        c->generation += changed;
    }
    return 0;
}

/* Grows the array to the reader's numbers; new items are zero. NULL: out of memory. */
static void *extend(void *array, size_t *room, size_t *cap, size_t count, size_t size)
{
    char *grown = ix_grow(array, cap, count + 1, size);
    if (grown && *room < count + 1) {
        memset(grown + *room * size, 0, (count + 1 - *room) * size);
        *room = count + 1;
    }
    return grown;
}

static int make_room(struct text_convert *c, const struct text_known *known, struct ix_error *err)
{
    struct thread *threads =
        extend(c->threads, &c->thread_room, &c->thread_cap, known->thread_count, sizeof *threads);
    if (threads)
        c->threads = threads;
    struct stack *stacks =
        extend(c->stacks, &c->stack_room, &c->stack_cap, known->stack_count, sizeof *stacks);
    if (stacks)
        c->stacks = stacks;
    return threads && stacks ? 0 : no_memory(err);
}

/* ---- stacks ---- */

/* Builds the stack, starting at the thread's entry. */
static int build_stack(struct text_convert *c, const struct text_block *b,
                       const struct text_thread *t, uint32_t *stack, struct ix_error *err)
{
    const struct text_stack frames = b->known->stacks[t->stack - 1];
    *stack = IX_STACK_EMPTY;
    for (size_t i = frames.count; i-- > 0;) {
        const struct text_frame *f = &b->known->frames[frames.first + i];
        const struct text_slot *method = text_map_get(&c->methods, f->method, 0);
        if (!method)
            return ix_fail(err,
                           "%s:%" PRIu64 ": found method %08" PRIX64 ", expected one that this "
                           "block or one before it writes",
                           c->name, t->first_frame_line + i, f->method);
        uint32_t frame = ix_log_frame(c->writer, method->number, (int32_t)f->line);
        *stack = frame ? ix_log_stack(c->writer, *stack, frame) : 0;
        if (*stack == 0)
            return writer_failed(c, err);
    }
    return 0;
}

static int find_stack(struct text_convert *c, const struct text_block *b,
                      const struct text_thread *t, uint32_t *number, struct ix_error *err)
{
    struct stack *known = &c->stacks[t->stack];
    *number = IX_STACK_EMPTY;
    if (t->stack == 0)
        return 0;
    if (known->number == 0 || known->generation != c->generation) {
        if (build_stack(c, b, t, &known->number, err) != 0)
            return -1;
        known->generation = c->generation;
    }
    *number = known->number;
    return 0;
}

/* ---- threads ---- */

static int new_thread(struct text_convert *c, const struct text_known *known, uint32_t who,
                      uint32_t *number, struct ix_error *err)
{
    const struct text_who *w = &known->threads[who - 1];
    if (c->thread_count == UINT32_MAX - 1)
        return ix_fail(err, "%s: too many different threads", c->name);
    struct ix_thread thread = {
        .number = c->thread_count + 1,
        .start = w->start,
        .id = w->id,
        .name = text_known_at(known, w->name),
        .group = text_known_at(known, w->group),
        .parent = text_known_at(known, w->parent),
        .priority = IX_PRIORITY_UNKNOWN,
        .flags = IX_THREAD_DAEMON_UNKNOWN,
    };
    if (ix_log_thread(c->writer, &thread) != 0)
        return writer_failed(c, err);
    *number = ++c->thread_count;
    return 0;
}

/* Handles a thread that is identical to others in this block. */
static int find_alike(struct text_convert *c, const struct text_known *known, uint32_t who,
                      uint32_t occurrence, uint32_t *number, struct ix_error *err)
{
    struct text_slot *slot = text_map_put(&c->alike, who, occurrence);
    if (!slot)
        return no_memory(err);
    if (slot->number == 0 && new_thread(c, known, who, &slot->number, err) != 0)
        return -1;
    *number = slot->number;
    return 0;
}

static int find_thread(struct text_convert *c, const struct text_known *known, uint32_t who,
                       uint32_t *number, struct ix_error *err)
{
    struct thread *t = &c->threads[who];
    if (t->number == 0 && new_thread(c, known, who, &t->number, err) != 0)
        return -1;
    if (t->block == c->block)
        return find_alike(c, known, who, ++t->times, number, err);
    t->block = c->block;
    t->times = 0;
    *number = t->number;
    return 0;
}

/* ---- snapshots ---- */

static int by_thread(const void *left, const void *right)
{
    const struct ix_entry *a = left, *b = right;
    return (a->thread > b->thread) - (a->thread < b->thread);
}

static bool ascending(const struct ix_entry *entries, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (entries[i - 1].thread >= entries[i].thread)
            return false;
    return true;
}

static int fill_entries(struct text_convert *c, const struct text_block *b, struct ix_error *err)
{
    struct ix_entry *entries =
        ix_grow(c->entries, &c->entries_cap, b->thread_count, sizeof *entries);
    if (!entries)
        return no_memory(err);
    c->entries = entries;
    for (size_t i = 0; i < b->thread_count; i++) {
        const struct text_thread *t = &b->threads[i];
        struct ix_entry *e = &c->entries[i];
        e->state = t->status;
        if (find_thread(c, b->known, t->who, &e->thread, err) != 0 ||
            find_stack(c, b, t, &e->stack, err) != 0)
            return -1;
    }
    if (!ascending(c->entries, b->thread_count))
        qsort(c->entries, b->thread_count, sizeof *c->entries, by_thread);
    return 0;
}

int text_convert_block(struct text_convert *c, const struct text_block *block, struct ix_error *err)
{
    c->block++;
    if (make_room(c, block->known, err) != 0 || define_classes(c, block, err) != 0 ||
        define_methods(c, block, err) != 0 || fill_entries(c, block, err) != 0)
        return -1;
    struct ix_snapshot snapshot = {
        .packet = block->packet,
        .mono_ns = block->counter,
        .entries = c->entries,
        .count = block->thread_count,
    };
    if (ix_log_snapshot(c->writer, &snapshot) != 0)
        return writer_failed(c, err);
    return 0;
}
