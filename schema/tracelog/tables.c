/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/tracelog/tables.h"

#include <stdlib.h>
#include <string.h>

#include "schema/base/grow.h"

#define ARENA_BLOCK 65536

struct ix_arena_block {
    struct ix_arena_block *next;
    char text[];
};

/* Numbers stay below this, so that one more always fits 32 bits. */
#define COUNT_MAX (UINT32_MAX - 1)

static int no_memory(struct ix_error *err)
{
    return ix_fail(err, "memory ran out");
}

/* The array, with room for `more` numbers from `count` on; NULL with err set if there is none. */
static void *with_room(void *array, size_t *cap, uint32_t count, size_t more, size_t size,
                       struct ix_error *err)
{
    if (more > COUNT_MAX - count) {
        ix_fail(err, "more definitions of one kind than this reader numbers");
        return NULL;
    }
    void *grown = ix_grow(array, cap, count + more, size);
    if (!grown)
        no_memory(err);
    return grown;
}

/* These two return -1 by themselves, which the compiler can see and ix_fail's it cannot. */
static int malformed(struct ix_error *err, const char *what)
{
    ix_fail(err, "a malformed %s definition", what);
    return -1;
}

static int undefined(struct ix_error *err, const char *what, const char *of, uint64_t number)
{
    ix_fail(err, "a %s refers to %s %llu, which is not defined", what, of,
            (unsigned long long)number);
    return -1;
}

/* ---- Text -------------------------------------------------------------------------------------
 */

static const char *keep_text(struct ix_arena *arena, struct ix_span span)
{
    size_t size = span.len + 1;
    if (size > arena->left) {
        size_t block_size = size > ARENA_BLOCK ? size : ARENA_BLOCK;
        struct ix_arena_block *block = malloc(sizeof *block + block_size);
        if (!block)
            return NULL;
        block->next = arena->blocks;
        arena->blocks = block;
        arena->at = block->text;
        arena->left = block_size;
        arena->size += sizeof *block + block_size;
    }
    char *text = arena->at;
    memcpy(text, span.text, span.len);
    text[span.len] = '\0';
    arena->at += size;
    arena->left -= size;
    return text;
}

/* The next string of the payload, kept. */
static const char *take_text(struct ix_arena *arena, struct ix_in *in, const char *what,
                             struct ix_error *err)
{
    struct ix_span span = ix_get_string(in, IX_LOG_STRING_MAX);
    if (in->failed || memchr(span.text, '\0', span.len)) {
        malformed(err, what);
        return NULL;
    }
    const char *text = keep_text(arena, span);
    if (!text)
        no_memory(err);
    return text;
}

/* ---- Kinds ------------------------------------------------------------------------------------
 */

static int define_meta(struct ix_tables *t, struct ix_in *in, struct ix_error *err)
{
    const char *key = take_text(&t->meta_text, in, "META", err);
    const char *value = key ? take_text(&t->meta_text, in, "META", err) : NULL;
    if (!value)
        return -1;
    bool added;
    uint32_t index = ix_intern(&t->meta_keys, key, strlen(key), &added);
    if (index == IX_INTERN_FAILED)
        return no_memory(err);
    if (!added) {
        t->meta[index].value = value;
        return 0;
    }
    struct ix_meta_pair *meta = with_room(t->meta, &t->meta_cap, index, 1, sizeof *meta, err);
    if (!meta)
        return -1;
    t->meta = meta;
    meta[index] = (struct ix_meta_pair){key, value};
    return 0;
}

static int define_string(struct ix_tables *t, struct ix_in *in, struct ix_error *err)
{
    const char *text = take_text(&t->text, in, "STRING", err);
    if (!text)
        return -1;
    const char **strings =
        with_room(t->strings, &t->string_cap, t->string_count, 1, sizeof *strings, err);
    if (!strings)
        return -1;
    t->strings = strings;
    strings[t->string_count++] = text;
    return 0;
}

/* A reference to a number of another kind, which must be in [first, count). */
static int take_number(struct ix_in *in, uint32_t first, uint32_t count, const char *what,
                       const char *of, uint32_t *number, struct ix_error *err)
{
    uint64_t value = ix_get_varint(in);
    if (in->failed)
        return malformed(err, what);
    if (value < first || value >= count)
        return undefined(err, what, of, value);
    *number = (uint32_t)value;
    return 0;
}

static int take_string(const struct ix_tables *t, struct ix_in *in, const char *what,
                       uint32_t *number, struct ix_error *err)
{
    return take_number(in, 0, t->string_count, what, "string", number, err);
}

static int define_class(struct ix_tables *t, struct ix_in *in, struct ix_error *err)
{
    struct ix_class_def def;
    if (take_string(t, in, "class", &def.name, err) < 0 ||
        take_string(t, in, "class", &def.source, err) < 0)
        return -1;
    struct ix_class_def *classes =
        with_room(t->classes, &t->class_cap, t->class_count, 1, sizeof *classes, err);
    if (!classes)
        return -1;
    t->classes = classes;
    classes[t->class_count++] = def;
    return 0;
}

static int define_method(struct ix_tables *t, struct ix_in *in, struct ix_error *err)
{
    struct ix_method_def def;
    if (take_number(in, 1, t->class_count, "method", "class", &def.class_number, err) < 0 ||
        take_string(t, in, "method", &def.name, err) < 0 ||
        take_string(t, in, "method", &def.descriptor, err) < 0)
        return -1;
    struct ix_method_def *methods =
        with_room(t->methods, &t->method_cap, t->method_count, 1, sizeof *methods, err);
    if (!methods)
        return -1;
    t->methods = methods;
    methods[t->method_count++] = def;
    return 0;
}

static int take_int32(struct ix_in *in, const char *what, int32_t *number, struct ix_error *err)
{
    int64_t value = ix_get_zigzag(in);
    if (in->failed || value < INT32_MIN || value > INT32_MAX)
        return malformed(err, what);
    *number = (int32_t)value;
    return 0;
}

static int define_frame(struct ix_tables *t, struct ix_in *in, struct ix_error *err)
{
    struct ix_frame def;
    if (take_number(in, 1, t->method_count, "frame", "method", &def.method, err) < 0 ||
        take_int32(in, "frame", &def.line, err) < 0)
        return -1;
    struct ix_frame *frames =
        with_room(t->frames, &t->frame_cap, t->frame_count, 1, sizeof *frames, err);
    if (!frames)
        return -1;
    t->frames = frames;
    frames[t->frame_count++] = def;
    return 0;
}

static int define_stacks(struct ix_tables *t, struct ix_in *in, struct ix_error *err)
{
    uint32_t parent;
    if (take_number(in, 0, t->stack_count, "stack", "stack", &parent, err) < 0)
        return -1;
    uint64_t n = ix_get_varint(in);
    /* Each frame takes at least one byte, which bounds their number. */
    if (in->failed || n == 0 || n > ix_in_left(in))
        return malformed(err, "stack");
    struct ix_stack_def *stacks =
        with_room(t->stacks, &t->stack_cap, t->stack_count, n, sizeof *stacks, err);
    if (!stacks)
        return -1;
    t->stacks = stacks;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t frame;
        if (take_number(in, 1, t->frame_count, "stack", "frame", &frame, err) < 0)
            return -1;
        stacks[t->stack_count] = (struct ix_stack_def){parent, frame};
        parent = t->stack_count++;
    }
    return 0;
}

static int note_redefined(struct ix_tables *t, uint32_t thread, struct ix_error *err)
{
    uint32_t *redefined =
        ix_grow(t->redefined, &t->redefined_cap, t->redefined_count + 1, sizeof *redefined);
    if (!redefined)
        return no_memory(err);
    t->redefined = redefined;
    redefined[t->redefined_count++] = thread;
    return 0;
}

static int define_thread(struct ix_tables *t, struct ix_in *in, struct ix_error *err)
{
    uint32_t number;
    /* The next number is allowed as well as all so far. */
    if (take_number(in, 1, t->thread_count + 1, "thread definition", "thread", &number, err) < 0)
        return -1;
    struct ix_thread_def def = {.start = ix_get_varint(in), .id = ix_get_varint(in)};
    if (take_string(t, in, "thread", &def.name, err) < 0 ||
        take_string(t, in, "thread", &def.group, err) < 0 ||
        take_string(t, in, "thread", &def.parent, err) < 0 ||
        take_int32(in, "thread", &def.priority, err) < 0)
        return -1;
    def.flags = (uint32_t)ix_get_varint_max(in, UINT32_MAX);
    if (in->failed)
        return malformed(err, "thread");
    struct ix_thread_def *threads =
        with_room(t->threads, &t->thread_cap, t->thread_count, 1, sizeof *threads, err);
    if (!threads)
        return -1;
    t->threads = threads;
    threads[number] = def;
    if (number < t->thread_count)
        return note_redefined(t, number, err);
    t->thread_count++;
    return 0;
}

int ix_tables_define(struct ix_tables *t, uint8_t type, struct ix_in payload, struct ix_error *err)
{
    static int (*const define[])(struct ix_tables *, struct ix_in *, struct ix_error *) = {
        [IX_LOG_META] = define_meta,     [IX_LOG_STRING] = define_string,
        [IX_LOG_CLASS] = define_class,   [IX_LOG_METHOD] = define_method,
        [IX_LOG_FRAME] = define_frame,   [IX_LOG_STACK] = define_stacks,
        [IX_LOG_THREAD] = define_thread,
    };
    do {
        if (define[type](t, &payload, err) < 0)
            return -1;
    } while (ix_in_left(&payload));
    return 0;
}

/* ---- Life -------------------------------------------------------------------------------------
 */

int ix_tables_init(struct ix_tables *t)
{
    *t = (struct ix_tables){0};
    t->strings = ix_grow(NULL, &t->string_cap, 1, sizeof *t->strings);
    t->classes = ix_grow(NULL, &t->class_cap, 1, sizeof *t->classes);
    t->methods = ix_grow(NULL, &t->method_cap, 1, sizeof *t->methods);
    t->frames = ix_grow(NULL, &t->frame_cap, 1, sizeof *t->frames);
    t->stacks = ix_grow(NULL, &t->stack_cap, 2, sizeof *t->stacks);
    t->threads = ix_grow(NULL, &t->thread_cap, 1, sizeof *t->threads);
    if (!t->strings || !t->classes || !t->methods || !t->frames || !t->stacks || !t->threads)
        return -1;
    t->strings[0] = "";
    t->classes[0] = (struct ix_class_def){0};
    t->methods[0] = (struct ix_method_def){0};
    t->frames[0] = (struct ix_frame){0};
    t->stacks[IX_STACK_EMPTY] = t->stacks[IX_STACK_CUT] = (struct ix_stack_def){0};
    t->threads[0] = (struct ix_thread_def){0};
    ix_tables_clear(t);
    return 0;
}

static void free_arena(struct ix_arena *arena)
{
    while (arena->blocks) {
        struct ix_arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
    *arena = (struct ix_arena){0};
}

void ix_tables_clear(struct ix_tables *t)
{
    free_arena(&t->text);
    t->string_count = t->class_count = t->method_count = t->frame_count = t->thread_count = 1;
    t->stack_count = IX_STACK_CUT + 1;
    t->redefined_count = 0;
}

uint64_t ix_tables_memory(const struct ix_tables *t)
{
    return t->text.size + t->meta_text.size + t->string_cap * sizeof *t->strings +
           t->class_cap * sizeof *t->classes + t->method_cap * sizeof *t->methods +
           t->frame_cap * sizeof *t->frames + t->stack_cap * sizeof *t->stacks +
           t->thread_cap * sizeof *t->threads + t->redefined_cap * sizeof *t->redefined +
           t->meta_cap * sizeof *t->meta;
}

void ix_tables_free(struct ix_tables *t)
{
    free_arena(&t->text);
    free_arena(&t->meta_text);
    free(t->strings);
    free(t->classes);
    free(t->methods);
    free(t->frames);
    free(t->stacks);
    free(t->threads);
    free(t->redefined);
    free(t->meta);
    ix_intern_free(&t->meta_keys);
}
