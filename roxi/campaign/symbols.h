/* The campaign-wide dictionary: strings, frames and call stacks as small numbers, the same number
 * for the same thing in every log of every execution (THESIS.md, normalisation 1).
 *
 * Call stacks are a tree: a stack is its parent (the callers) plus one frame on top; stack 0 is the
 * empty one. String 0 is the empty string. Numbers are given in order of first appearance.
 * Interning is O(1) expected (a string: its length); it returns ROXI_NONE when memory ran out.
 */
#ifndef ROXI_SYMBOLS_H
#define ROXI_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#define ROXI_NONE UINT32_MAX /* no number: memory ran out */

struct roxi_symbols;

struct roxi_frame {
    uint32_t class_name, method, descriptor; /* strings */
    int32_t line;                            /* as in a trace log: > 0, or IX_LINE_* */
};

struct roxi_stack {
    uint32_t parent, frame;
    uint32_t depth; /* number of frames */
};

struct roxi_symbols *roxi_symbols_new(void);    /* NULL: memory ran out */
void roxi_symbols_free(struct roxi_symbols *s); /* s may be NULL */

/* The text has no zero byte in it; it is copied. */
uint32_t roxi_symbols_string(struct roxi_symbols *s, const char *text, size_t len);
uint32_t roxi_symbols_frame(struct roxi_symbols *s, struct roxi_frame frame);
uint32_t roxi_symbols_stack(struct roxi_symbols *s, uint32_t parent, uint32_t frame);

/* What a number stands for; the number must have come from this dictionary. The text is terminated
 * and lives as long as the dictionary. */
const char *roxi_symbols_text(const struct roxi_symbols *s, uint32_t string);
struct roxi_frame roxi_symbols_frame_at(const struct roxi_symbols *s, uint32_t frame);
struct roxi_stack roxi_symbols_stack_at(const struct roxi_symbols *s, uint32_t stack);
/* The frames of a stack, the thread's entry first, into an array of `depth` items. */
void roxi_symbols_unfold(const struct roxi_symbols *s, uint32_t stack, uint32_t *frames);
/* Depth of the deepest stack. */
uint32_t roxi_symbols_deepest(const struct roxi_symbols *s);

/* One above the highest number of each kind so far. */
struct roxi_symbols_count {
    uint32_t strings, frames, stacks;
};
struct roxi_symbols_count roxi_symbols_count(const struct roxi_symbols *s);

#endif
