/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/tracelog/definitions.h"

#include <stdlib.h>

#include "schema/base/grow.h"
#include "schema/base/utf8.h"

/* A record of definitions is closed when it has this many bytes. Far below the format's bound even
 * with the largest single definition on top, and small enough for a reader's buffer. */
#define RECORD_FULL (1u << 20)

/* What a thread's latest definition said; names as string numbers. */
struct ix_thread_definition {
    uint64_t start, id;
    uint32_t name, group, parent;
    int32_t priority;
    uint32_t flags;
};

void ix_definitions_init(struct ix_definitions *d, struct ix_output *output)
{
    *d = (struct ix_definitions){.output = output};
    d->classes.key_size = d->frames.key_size = d->stacks.key_size = 2 * sizeof(uint32_t);
    d->methods.key_size = 3 * sizeof(uint32_t);
}

void ix_definitions_clear(struct ix_definitions *d)
{
    ix_intern_free(&d->strings);
    ix_intern_free(&d->classes);
    ix_intern_free(&d->methods);
    ix_intern_free(&d->frames);
    ix_intern_free(&d->stacks);
    for (int type = 0; type <= IX_LOG_THREAD; type++)
        ix_out_free(&d->pending[type]);
    ix_out_free(&d->run);
    free(d->threads);
    ix_definitions_init(d, d->output);
}

/* Memory ran out. Returns -1. */
static int fail(struct ix_definitions *d)
{
    d->failed = true;
    return -1;
}

/* ---- Records ----------------------------------------------------------------------------------
 */

static void end_run(struct ix_definitions *d)
{
    if (!d->run_length)
        return;
    struct ix_out *stacks = &d->pending[IX_LOG_STACK];
    ix_put_varint(stacks, d->run_parent);
    ix_put_varint(stacks, d->run_length);
    ix_put_bytes(stacks, d->run.data, d->run.len);
    stacks->failed |= d->run.failed;
    ix_out_clear(&d->run);
    d->run_length = 0;
}

/* In order of type, since each kind refers only to itself and to those of smaller types. */
int ix_definitions_stage(struct ix_definitions *d)
{
    end_run(d);
    for (uint8_t type = IX_LOG_META; type <= IX_LOG_THREAD; type++) {
        struct ix_out *payload = &d->pending[type];
        if (payload->failed)
            return fail(d);
        if (payload->len)
            ix_output_record(d->output, type, payload);
        ix_out_clear(payload);
    }
    return d->output->ready.failed ? fail(d) : 0;
}

/* Call after each definition. */
static int defined(struct ix_definitions *d, uint8_t type)
{
    const struct ix_out *out = &d->pending[type];
    if (out->failed || d->run.failed)
        return fail(d);
    return out->len + d->run.len >= RECORD_FULL ? ix_definitions_stage(d) : 0;
}

/* ---- Definitions ------------------------------------------------------------------------------
 */

/* The key's place in the table, counted from 1, and whether it is new: then it must be recorded. 0
 * if memory ran out. */
static uint32_t place_of(struct ix_definitions *d, struct ix_intern *table, const void *key,
                         size_t len, bool *added)
{
    const uint32_t index = ix_intern(table, key, len, added);
    if (index != IX_INTERN_FAILED)
        return index + 1;
    fail(d);
    return 0;
}

int ix_define_meta(struct ix_definitions *d, struct ix_span key, struct ix_span value)
{
    struct ix_out *out = &d->pending[IX_LOG_META];
    if (d->failed)
        return -1;
    ix_put_string(out, key.text, key.len);
    ix_put_string(out, value.text, value.len);
    return defined(d, IX_LOG_META);
}

uint32_t ix_define_string(struct ix_definitions *d, const char *text)
{
    if (d->failed || !*text)
        return 0;
    const size_t len = ix_utf8_bounded(text, IX_LOG_STRING_MAX);
    bool added;
    const uint32_t number = place_of(d, &d->strings, text, len, &added);
    if (added) {
        ix_put_string(&d->pending[IX_LOG_STRING], text, len);
        defined(d, IX_LOG_STRING);
    }
    return number;
}

uint32_t ix_define_class(struct ix_definitions *d, const char *name, const char *source)
{
    const uint32_t key[2] = {ix_define_string(d, name), ix_define_string(d, source)};
    if (d->failed)
        return 0;
    bool added;
    const uint32_t number = place_of(d, &d->classes, key, sizeof key, &added);
    if (added) {
        struct ix_out *out = &d->pending[IX_LOG_CLASS];
        ix_put_varint(out, key[0]);
        ix_put_varint(out, key[1]);
        defined(d, IX_LOG_CLASS);
    }
    return d->failed ? 0 : number;
}

uint32_t ix_define_method(struct ix_definitions *d, uint32_t class_number, const char *name,
                          const char *descriptor)
{
    const uint32_t key[3] = {class_number, ix_define_string(d, name),
                             ix_define_string(d, descriptor)};
    if (d->failed)
        return 0;
    bool added;
    const uint32_t number = place_of(d, &d->methods, key, sizeof key, &added);
    if (added) {
        struct ix_out *out = &d->pending[IX_LOG_METHOD];
        ix_put_varint(out, key[0]);
        ix_put_varint(out, key[1]);
        ix_put_varint(out, key[2]);
        defined(d, IX_LOG_METHOD);
    }
    return d->failed ? 0 : number;
}

uint32_t ix_define_frame(struct ix_definitions *d, uint32_t method, int32_t line)
{
    if (d->failed)
        return 0;
    const uint32_t key[2] = {method, (uint32_t)line};
    bool added;
    const uint32_t number = place_of(d, &d->frames, key, sizeof key, &added);
    if (added) {
        struct ix_out *out = &d->pending[IX_LOG_FRAME];
        ix_put_varint(out, method);
        ix_put_zigzag(out, line);
        defined(d, IX_LOG_FRAME);
    }
    return d->failed ? 0 : number;
}

uint32_t ix_define_stack(struct ix_definitions *d, uint32_t parent, uint32_t frame)
{
    if (d->failed)
        return 0;
    const uint32_t key[2] = {parent, frame};
    bool added;
    const uint32_t place = place_of(d, &d->stacks, key, sizeof key, &added);
    const uint32_t number = IX_STACK_FIRST - 1 + place;
    if (added) {
        /* A new call stack arrives frame by frame, each upon the one just defined. */
        if (!d->run_length || parent != number - 1) {
            end_run(d);
            d->run_parent = parent;
        }
        d->run_length++;
        ix_put_varint(&d->run, frame);
        defined(d, IX_LOG_STACK);
    }
    return d->failed ? 0 : number;
}

static bool same_thread(const struct ix_thread_definition *a, const struct ix_thread_definition *b)
{
    return a->start == b->start && a->id == b->id && a->name == b->name && a->group == b->group &&
           a->parent == b->parent && a->priority == b->priority && a->flags == b->flags;
}

static void put_thread(struct ix_out *out, uint32_t number, const struct ix_thread_definition *def)
{
    ix_put_varint(out, number);
    ix_put_varint(out, def->start);
    ix_put_varint(out, def->id);
    ix_put_varint(out, def->name);
    ix_put_varint(out, def->group);
    ix_put_varint(out, def->parent);
    ix_put_zigzag(out, def->priority);
    ix_put_varint(out, def->flags);
}

int ix_define_thread(struct ix_definitions *d, const struct ix_thread *thread)
{
    const struct ix_thread_definition def = {
        .start = thread->start,
        .id = thread->id,
        .name = ix_define_string(d, thread->name),
        .group = ix_define_string(d, thread->group),
        .parent = ix_define_string(d, thread->parent),
        .priority = thread->priority,
        .flags = thread->flags,
    };
    if (d->failed)
        return -1;
    struct ix_thread_definition *threads =
        ix_grow(d->threads, &d->thread_cap, thread->number, sizeof *threads);
    if (!threads)
        return fail(d);
    d->threads = threads;
    if (thread->number <= d->thread_count && same_thread(&threads[thread->number - 1], &def))
        return 0;
    threads[thread->number - 1] = def;
    if (thread->number > d->thread_count)
        d->thread_count = thread->number;
    put_thread(&d->pending[IX_LOG_THREAD], thread->number, &def);
    return defined(d, IX_LOG_THREAD);
}

size_t ix_definitions_memory(const struct ix_definitions *d)
{
    const struct ix_intern *tables[] = {&d->strings, &d->classes, &d->methods, &d->frames,
                                        &d->stacks};
    size_t bytes = d->thread_cap * sizeof *d->threads + d->run.cap;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        bytes += tables[i]->keys.cap + tables[i]->ends_cap * sizeof *tables[i]->ends +
                 tables[i]->slot_count * sizeof *tables[i]->slots;
    for (int type = 0; type <= IX_LOG_THREAD; type++)
        bytes += d->pending[type].cap;
    return bytes;
}
