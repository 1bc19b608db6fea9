/* SPDX-License-Identifier: Apache-2.0 */
/* The campaign-wide dictionary: strings, frames and call stacks as small numbers, the same
 * number for the same thing in every log of every run (docs/thesis.md, Normalisation 1).
 *
 * Call stacks form a tree: a stack is its parent (the callers) plus one frame on top; stack 0 is
 * the empty stack. String 0 is the empty string. Numbers are assigned in order of first
 * appearance. Interning is O(1) expected (for a string: O(length)); it returns ROXI_NONE when
 * out of memory.
 */
#ifndef ROXI_SYMBOLS_H
#define ROXI_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#define ROXI_NONE UINT32_MAX /* no number: out of memory */

struct roxi_symbols;

struct roxi_frame {
    uint32_t class_name, method, descriptor; /* strings */
    int32_t line;                            /* as in a trace log: > 0, or IX_LINE_* */
};

struct roxi_stack {
    uint32_t parent, frame;
    uint32_t depth; /* number of frames */
};

struct roxi_symbols *roxi_symbols_new(void);    /* NULL: out of memory */
void roxi_symbols_free(struct roxi_symbols *s); /* s may be NULL */

/* The text contains no zero byte; it is copied. */
uint32_t roxi_symbols_string(struct roxi_symbols *s, const char *text, size_t len);
uint32_t roxi_symbols_frame(struct roxi_symbols *s, struct roxi_frame frame);
uint32_t roxi_symbols_stack(struct roxi_symbols *s, uint32_t parent, uint32_t frame);

/* The meaning of a number, which must come from this dictionary. The text is terminated and
 * lives as long as the dictionary. */
const char *roxi_symbols_text(const struct roxi_symbols *s, uint32_t string);
struct roxi_frame roxi_symbols_frame_at(const struct roxi_symbols *s, uint32_t frame);
struct roxi_stack roxi_symbols_stack_at(const struct roxi_symbols *s, uint32_t stack);
/* The frame on top of a stack other than the empty one: the executing one. */
static inline struct roxi_frame roxi_symbols_top(const struct roxi_symbols *s, uint32_t stack)
{
    return roxi_symbols_frame_at(s, roxi_symbols_stack_at(s, stack).frame);
}
/* Writes the frames of a stack, the entry frame first, into an array of `depth` items. */
void roxi_symbols_unfold(const struct roxi_symbols *s, uint32_t stack, uint32_t *frames);
/* Depth of the deepest stack. */
uint32_t roxi_symbols_deepest(const struct roxi_symbols *s);

/* One more than the highest number of each kind so far. */
struct roxi_symbols_count {
    uint32_t strings, frames, stacks;
};
struct roxi_symbols_count roxi_symbols_count(const struct roxi_symbols *s);

#endif
