#include "roxi/trie.h"

#include <stdlib.h>
#include <string.h>

void roxi_trie_free(struct roxi_trie *t)
{
    free(t->stack);
    free(t->first);
    free(t->frames);
    free(t->shared);
    free(t->frame);
    *t = (struct roxi_trie){0};
}

/* What stacks are sorted by. */
struct entry {
    const uint32_t *frames; /* in order from the anchor */
    size_t depth;
    uint32_t stack;
    bool depth_first;
};

static size_t in_common(const struct entry *x, const struct entry *y)
{
    size_t limit = x->depth < y->depth ? x->depth : y->depth, n = 0;
    while (n < limit && x->frames[n] == y->frames[n])
        n++;
    return n;
}

static int by_path(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->depth_first && x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    size_t n = in_common(x, y);
    if (n < x->depth && n < y->depth)
        return x->frames[n] < y->frames[n] ? -1 : 1;
    return (x->depth > y->depth) - (x->depth < y->depth);
}

/* Numbers the frames from 0, and names them. */
static int number_frames(struct roxi_trie *t, const struct roxi_group *g,
                         const struct roxi_symbols *symbols, uint32_t *frames)
{
    size_t n = g->first[g->stacks];
    uint32_t *distinct = calloc(n + 1, sizeof *distinct);
    if (!distinct)
        return -1;
    memcpy(distinct, g->frames, n * sizeof *distinct);
    t->names = roxi_distinct(distinct, n);
    t->frame = calloc(t->names + 1, sizeof *t->frame);
    for (size_t i = 0; t->frame && i < t->names; i++)
        t->frame[i] = roxi_symbols_frame_at(symbols, distinct[i]);
    for (size_t i = 0; i < n; i++)
        frames[i] = (uint32_t)roxi_place(distinct, t->names, g->frames[i]);
    free(distinct);
    return t->frame ? 0 : -1;
}

static void turn(uint32_t *frames, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        uint32_t kept = frames[i];
        frames[i] = frames[n - 1 - i];
        frames[n - 1 - i] = kept;
    }
}

/* Puts the stacks in the order of the sorted entries. */
static void lay_out(struct roxi_trie *t, const struct entry *entries)
{
    bool same_depth = t->stacks && entries[0].depth_first;
    for (size_t i = 0; i < t->stacks; i++) {
        const struct entry *e = &entries[i];
        t->stack[i] = e->stack;
        t->first[i + 1] = t->first[i] + e->depth;
        memcpy(t->frames + t->first[i], e->frames, e->depth * sizeof *t->frames);
        if (i && !(same_depth && e->depth != e[-1].depth))
            t->shared[i] = (uint32_t)in_common(e, e - 1);
        if (t->shared[i] > t->most_shared)
            t->most_shared = t->shared[i];
        if (e->depth > t->deepest)
            t->deepest = e->depth;
    }
}

int roxi_trie_build(struct roxi_trie *t, const struct roxi_group *g,
                    const struct roxi_symbols *symbols, enum roxi_anchor anchor)
{
    size_t n = g->stacks, frames = g->first[n];
    *t = (struct roxi_trie){.stacks = n};
    t->stack = calloc(n + 1, sizeof *t->stack);
    t->first = calloc(n + 1, sizeof *t->first);
    t->shared = calloc(n + 1, sizeof *t->shared);
    t->frames = calloc(frames + 1, sizeof *t->frames);
    struct entry *entries = calloc(n + 1, sizeof *entries);
    uint32_t *turned = calloc(frames + 1, sizeof *turned);
    int result = -1;
    if (!t->stack || !t->first || !t->shared || !t->frames || !entries || !turned ||
        number_frames(t, g, symbols, turned) != 0)
        goto out;
    for (size_t i = 0; i < n; i++) {
        size_t depth = g->first[i + 1] - g->first[i];
        if (anchor == ROXI_FROM_TOP)
            turn(turned + g->first[i], depth);
        entries[i] = (struct entry){.frames = turned + g->first[i],
                                    .depth = depth,
                                    .stack = (uint32_t)i,
                                    .depth_first = anchor == ROXI_FROM_BOTH};
    }
    qsort(entries, n, sizeof *entries, by_path);
    lay_out(t, entries);
    result = 0;
out:
    free(entries);
    free(turned);
    if (result != 0)
        roxi_trie_free(t);
    return result;
}
