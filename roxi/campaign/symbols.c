/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "schema/base/grow.h"
#include "schema/tracelog/intern.h"

struct roxi_symbols {
    struct ix_intern strings, frames, stacks; /* a stack's key: parent and frame; numbered from 1 */
    char **texts;                             /* by string: a terminated copy that never moves */
    uint32_t *depths;                         /* by stack */
    size_t text_cap, depth_cap;
    uint32_t deepest;
};

struct roxi_symbols *roxi_symbols_new(void)
{
    struct roxi_symbols *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->frames.key_size = sizeof(struct roxi_frame);
    s->stacks.key_size = 2 * sizeof(uint32_t);
    s->depths = ix_grow(NULL, &s->depth_cap, 1, sizeof *s->depths);
    if (!s->depths || roxi_symbols_string(s, "", 0) != 0) {
        roxi_symbols_free(s);
        return NULL;
    }
    s->depths[0] = 0;
    return s;
}

void roxi_symbols_free(struct roxi_symbols *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->strings.count; i++)
        free(s->texts[i]);
    free(s->texts);
    free(s->depths);
    ix_intern_free(&s->strings);
    ix_intern_free(&s->frames);
    ix_intern_free(&s->stacks);
    free(s);
}

uint32_t roxi_symbols_string(struct roxi_symbols *s, const char *text, size_t len)
{
    bool added;
    char **texts = ix_grow(s->texts, &s->text_cap, (size_t)s->strings.count + 1, sizeof *texts);
    if (!texts)
        return ROXI_NONE;
    s->texts = texts;
    uint32_t number = ix_intern(&s->strings, text, len, &added);
    if (number == IX_INTERN_FAILED)
        return ROXI_NONE;
    if (added)
        texts[number] = NULL;
    if (!texts[number])
        texts[number] = strndup(text, len);
    return texts[number] ? number : ROXI_NONE;
}

uint32_t roxi_symbols_frame(struct roxi_symbols *s, struct roxi_frame frame)
{
    _Static_assert(sizeof frame == 4 * sizeof(uint32_t), "a key of bytes: no padding");
    bool added;
    return ix_intern(&s->frames, &frame, sizeof frame, &added);
}

uint32_t roxi_symbols_stack(struct roxi_symbols *s, uint32_t parent, uint32_t frame)
{
    bool added;
    uint32_t key[2] = {parent, frame};
    uint32_t *depths =
        ix_grow(s->depths, &s->depth_cap, (size_t)s->stacks.count + 2, sizeof *depths);
    if (!depths)
        return ROXI_NONE;
    s->depths = depths;
    uint32_t number = ix_intern(&s->stacks, key, sizeof key, &added);
    if (number == IX_INTERN_FAILED)
        return ROXI_NONE;
    if (added) {
        depths[number + 1] = depths[parent] + 1;
        if (depths[number + 1] > s->deepest)
            s->deepest = depths[number + 1];
    }
    return number + 1;
}

const char *roxi_symbols_text(const struct roxi_symbols *s, uint32_t string)
{
    return s->texts[string];
}

struct roxi_frame roxi_symbols_frame_at(const struct roxi_symbols *s, uint32_t frame)
{
    struct roxi_frame found;
    memcpy(&found, s->frames.keys.data + (size_t)frame * sizeof found, sizeof found);
    return found;
}

struct roxi_stack roxi_symbols_stack_at(const struct roxi_symbols *s, uint32_t stack)
{
    if (stack == 0)
        return (struct roxi_stack){0};
    uint32_t key[2];
    memcpy(key, s->stacks.keys.data + (size_t)(stack - 1) * sizeof key, sizeof key);
    return (struct roxi_stack){.parent = key[0], .frame = key[1], .depth = s->depths[stack]};
}

void roxi_symbols_unfold(const struct roxi_symbols *s, uint32_t stack, uint32_t *frames)
{
    while (stack) {
        struct roxi_stack at = roxi_symbols_stack_at(s, stack);
        frames[at.depth - 1] = at.frame;
        stack = at.parent;
    }
}

uint32_t roxi_symbols_deepest(const struct roxi_symbols *s)
{
    return s->deepest;
}

struct roxi_symbols_count roxi_symbols_count(const struct roxi_symbols *s)
{
    return (struct roxi_symbols_count){
        .strings = s->strings.count, .frames = s->frames.count, .stacks = s->stacks.count + 1};
}
