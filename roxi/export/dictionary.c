/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/export/dictionary.h"

#include <stdlib.h>
#include <string.h>

#include "schema/base/grow.h"

enum { FIRST_STACK = IX_STACK_CUT + 1 };

void export_dictionary_free(struct export_dictionary *d)
{
    ix_intern_free(&d->strings);
    ix_intern_free(&d->classes);
    ix_intern_free(&d->methods);
    ix_intern_free(&d->frames);
    ix_intern_free(&d->stacks);
}

/* ---- numbers ---- */

static uint32_t add(struct ix_intern *table, const void *key, size_t size)
{
    bool added;
    table->key_size = size;
    return ix_intern(table, key, size, &added);
}

/* The zero byte is part of the key, so that the stored text is terminated. */
uint32_t export_string(struct export_dictionary *d, const char *text)
{
    bool added;
    if (d->strings.count == 0 && ix_intern(&d->strings, "", 1, &added) == IX_INTERN_FAILED)
        return EXPORT_NONE;
    return ix_intern(&d->strings, text, strlen(text) + 1, &added);
}

static uint32_t add_class(struct export_dictionary *d, struct ix_class c)
{
    struct export_class key = {export_string(d, c.name),
                               export_string(d, d->keeps & EXPORT_SOURCES ? c.source : "")};
    if (key.name == EXPORT_NONE || key.source == EXPORT_NONE)
        return EXPORT_NONE;
    return add(&d->classes, &key, sizeof key);
}

static uint32_t add_method(struct export_dictionary *d, struct ix_class c, struct ix_method m)
{
    const char *descriptor = d->keeps & EXPORT_DESCRIPTORS ? m.descriptor : "";
    struct export_method key = {add_class(d, c), export_string(d, m.name),
                                export_string(d, descriptor)};
    if (key.class_number == EXPORT_NONE || key.name == EXPORT_NONE || key.descriptor == EXPORT_NONE)
        return EXPORT_NONE;
    return add(&d->methods, &key, sizeof key);
}

/* ---- what numbers stand for ---- */

const char *export_text(const struct export_dictionary *d, uint32_t string)
{
    return (const char *)d->strings.keys.data + (string ? d->strings.ends[string - 1] : 0);
}

static void fetch(const struct ix_intern *table, uint32_t index, void *key, size_t size)
{
    memcpy(key, table->keys.data + (size_t)index * size, size);
}

struct export_class export_class_at(const struct export_dictionary *d, uint32_t class_number)
{
    struct export_class c;
    fetch(&d->classes, class_number, &c, sizeof c);
    return c;
}

struct export_method export_method_at(const struct export_dictionary *d, uint32_t method)
{
    struct export_method m;
    fetch(&d->methods, method, &m, sizeof m);
    return m;
}

struct export_frame export_frame_at(const struct export_dictionary *d, uint32_t frame)
{
    struct export_frame f;
    fetch(&d->frames, frame, &f, sizeof f);
    return f;
}

struct export_stack export_stack_at(const struct export_dictionary *d, uint32_t stack)
{
    struct export_stack s;
    fetch(&d->stacks, stack - FIRST_STACK, &s, sizeof s);
    return s;
}

uint32_t export_stack_count(const struct export_dictionary *d)
{
    return d->stacks.count + FIRST_STACK;
}

struct export_place export_place_of(const struct export_dictionary *d, uint32_t frame)
{
    struct export_method m = export_method_at(d, export_frame_at(d, frame).method);
    struct export_class c = export_class_at(d, m.class_number);
    return (struct export_place){export_text(d, c.name), export_text(d, m.name),
                                 export_text(d, c.source)};
}

/* ---- a log ---- */

void export_log_init(struct export_log *l, const struct ix_log_reader *log,
                     struct export_dictionary *d)
{
    *l = (struct export_log){.log = log, .dictionary = d};
}

void export_log_release(struct export_log *l)
{
    free(l->frames);
    free(l->stacks);
    free(l->path);
    *l = (struct export_log){0};
}

/* Grows *numbers to `count` items; new ones are not looked up yet. */
static int reach(uint32_t **numbers, size_t *cap, size_t count)
{
    size_t before = *cap;
    uint32_t *grown = ix_grow(*numbers, cap, count, sizeof *grown);
    if (!grown)
        return -1;
    *numbers = grown;
    memset(grown + before, 0xff, (*cap - before) * sizeof *grown);
    return 0;
}

/* In a new part the log's numbers have new meanings. */
static void begin_part(struct export_log *l)
{
    if (ix_log_part(l->log) == l->part)
        return;
    l->part = ix_log_part(l->log);
    if (l->frame_cap)
        memset(l->frames, 0xff, l->frame_cap * sizeof *l->frames);
    if (l->stack_cap)
        memset(l->stacks, 0xff, l->stack_cap * sizeof *l->stacks);
}

uint32_t export_log_class(struct export_log *l, uint32_t class_number)
{
    return add_class(l->dictionary, ix_log_class_at(l->log, class_number));
}

uint32_t export_log_method(struct export_log *l, uint32_t method)
{
    const struct ix_method m = ix_log_method_at(l->log, method);
    return add_method(l->dictionary, ix_log_class_at(l->log, m.class_number), m);
}

uint32_t export_log_frame(struct export_log *l, uint32_t frame)
{
    begin_part(l);
    if (reach(&l->frames, &l->frame_cap, ix_log_frame_count(l->log)) != 0)
        return EXPORT_NONE;
    if (l->frames[frame] != EXPORT_NONE)
        return l->frames[frame];
    struct ix_frame f = ix_log_frame_at(l->log, frame);
    struct ix_method m = ix_log_method_at(l->log, f.method);
    struct ix_class c = ix_log_class_at(l->log, m.class_number);
    struct export_frame key = {add_method(l->dictionary, c, m),
                               l->dictionary->keeps & EXPORT_LINES ? f.line : IX_LINE_UNKNOWN};
    if (key.method == EXPORT_NONE)
        return EXPORT_NONE;
    return l->frames[frame] = add(&l->dictionary->frames, &key, sizeof key);
}

static uint32_t add_stack(struct export_log *l, uint32_t parent, uint32_t stack)
{
    struct export_stack key = {parent, export_log_frame(l, ix_log_stack_frame(l->log, stack))};
    if (key.frame == EXPORT_NONE)
        return EXPORT_NONE;
    uint32_t index = add(&l->dictionary->stacks, &key, sizeof key);
    return index < EXPORT_NONE - FIRST_STACK ? index + FIRST_STACK : EXPORT_NONE;
}

/* Walks up to a known stack, then down again; not recursive, because stacks can be deep. */
uint32_t export_log_stack(struct export_log *l, uint32_t stack)
{
    size_t depth = 0;
    uint32_t at = stack;
    begin_part(l);
    if (reach(&l->stacks, &l->stack_cap, ix_log_stack_count(l->log)) != 0)
        return EXPORT_NONE;
    while (at > IX_STACK_CUT && l->stacks[at] == EXPORT_NONE) {
        uint32_t *path = ix_grow(l->path, &l->path_cap, depth + 1, sizeof *path);
        if (!path)
            return EXPORT_NONE;
        l->path = path;
        path[depth++] = at;
        at = ix_log_stack_parent(l->log, at);
    }
    uint32_t number = at > IX_STACK_CUT ? l->stacks[at] : at;
    while (depth > 0 && number != EXPORT_NONE) {
        at = l->path[--depth];
        number = l->stacks[at] = add_stack(l, number, at);
    }
    return number;
}
