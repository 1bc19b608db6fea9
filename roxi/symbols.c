#define XXH_INLINE_ALL
#include "roxi/symbols.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "roxi/array.h"

struct text {
    char *bytes; /* owned, terminated */
    size_t len;
};

struct roxi_symbols {
    struct text *texts;
    struct roxi_frame *frames;
    struct roxi_stack *stacks;
    size_t text_count, text_cap, frame_count, frame_cap, stack_count, stack_cap;
    struct roxi_index text_index, frame_index, stack_index;
    uint32_t deepest;
};

struct roxi_symbols *roxi_symbols_new(void)
{
    struct roxi_symbols *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->stacks = roxi_array_fit(NULL, &s->stack_cap, 1, sizeof *s->stacks);
    if (!s->stacks || roxi_symbols_string(s, "", 0) != 0) {
        roxi_symbols_free(s);
        return NULL;
    }
    s->stacks[s->stack_count++] = (struct roxi_stack){0};
    return s;
}

void roxi_symbols_free(struct roxi_symbols *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->text_count; i++)
        free(s->texts[i].bytes);
    free(s->texts);
    free(s->frames);
    free(s->stacks);
    roxi_index_free(&s->text_index);
    roxi_index_free(&s->frame_index);
    roxi_index_free(&s->stack_index);
    free(s);
}

static bool same_text(const void *owner, uint32_t number, const void *key)
{
    const struct roxi_symbols *s = owner;
    const struct text *want = key, *have = &s->texts[number];
    return have->len == want->len && memcmp(have->bytes, want->bytes, want->len) == 0;
}

uint32_t roxi_symbols_string(struct roxi_symbols *s, const char *text, size_t len)
{
    uint64_t hash = XXH3_64bits(text, len);
    struct text key = {.bytes = (char *)text, .len = len};
    uint32_t number = roxi_index_find(&s->text_index, hash, same_text, s, &key);
    if (number != ROXI_NONE || s->text_count >= ROXI_NONE)
        return number;
    struct text *texts = roxi_array_fit(s->texts, &s->text_cap, s->text_count + 1, sizeof *texts);
    if (!texts)
        return ROXI_NONE;
    s->texts = texts;
    char *copy = strndup(text, len);
    if (!copy || roxi_index_add(&s->text_index, hash, (uint32_t)s->text_count) != 0) {
        free(copy);
        return ROXI_NONE;
    }
    texts[s->text_count] = (struct text){.bytes = copy, .len = len};
    return (uint32_t)s->text_count++;
}

static bool same_frame(const void *owner, uint32_t number, const void *key)
{
    const struct roxi_symbols *s = owner;
    const struct roxi_frame *want = key, *have = &s->frames[number];
    return have->class_name == want->class_name && have->method == want->method &&
           have->descriptor == want->descriptor && have->line == want->line;
}

uint32_t roxi_symbols_frame(struct roxi_symbols *s, struct roxi_frame frame)
{
    _Static_assert(sizeof frame == 4 * sizeof(uint32_t), "hashed as bytes: no padding");
    uint64_t hash = XXH3_64bits(&frame, sizeof frame);
    uint32_t number = roxi_index_find(&s->frame_index, hash, same_frame, s, &frame);
    if (number != ROXI_NONE || s->frame_count >= ROXI_NONE)
        return number;
    struct roxi_frame *frames =
        roxi_array_fit(s->frames, &s->frame_cap, s->frame_count + 1, sizeof *frames);
    if (!frames)
        return ROXI_NONE;
    s->frames = frames;
    if (roxi_index_add(&s->frame_index, hash, (uint32_t)s->frame_count) != 0)
        return ROXI_NONE;
    frames[s->frame_count] = frame;
    return (uint32_t)s->frame_count++;
}

static bool same_stack(const void *owner, uint32_t number, const void *key)
{
    const struct roxi_symbols *s = owner;
    const uint32_t *want = key;
    return s->stacks[number].parent == want[0] && s->stacks[number].frame == want[1];
}

uint32_t roxi_symbols_stack(struct roxi_symbols *s, uint32_t parent, uint32_t frame)
{
    uint32_t key[2] = {parent, frame};
    uint64_t hash = XXH3_64bits(key, sizeof key);
    uint32_t number = roxi_index_find(&s->stack_index, hash, same_stack, s, key);
    if (number != ROXI_NONE || s->stack_count >= ROXI_NONE)
        return number;
    struct roxi_stack *stacks =
        roxi_array_fit(s->stacks, &s->stack_cap, s->stack_count + 1, sizeof *stacks);
    if (!stacks)
        return ROXI_NONE;
    s->stacks = stacks;
    if (roxi_index_add(&s->stack_index, hash, (uint32_t)s->stack_count) != 0)
        return ROXI_NONE;
    uint32_t depth = stacks[parent].depth + 1;
    stacks[s->stack_count] = (struct roxi_stack){.parent = parent, .frame = frame, .depth = depth};
    if (depth > s->deepest)
        s->deepest = depth;
    return (uint32_t)s->stack_count++;
}

const char *roxi_symbols_text(const struct roxi_symbols *s, uint32_t string)
{
    return s->texts[string].bytes;
}

struct roxi_frame roxi_symbols_frame_at(const struct roxi_symbols *s, uint32_t frame)
{
    return s->frames[frame];
}

struct roxi_stack roxi_symbols_stack_at(const struct roxi_symbols *s, uint32_t stack)
{
    return s->stacks[stack];
}

void roxi_symbols_unfold(const struct roxi_symbols *s, uint32_t stack, uint32_t *frames)
{
    for (; stack != 0; stack = s->stacks[stack].parent)
        frames[s->stacks[stack].depth - 1] = s->stacks[stack].frame;
}

uint32_t roxi_symbols_deepest(const struct roxi_symbols *s)
{
    return s->deepest;
}
