/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/distance/trie.h"

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

/* A stack with its sort keys. */
struct entry {
    const uint32_t *frames; /* starting at the anchor */
    size_t depth;
    size_t alike; /* how many of the frames that most stacks have in common it has too, */
    bool other;   /* which is fewer than may be left out */
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
    if (x->other != y->other)
        return x->other ? 1 : -1;
    if (x->depth_first && x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    size_t n = in_common(x, y);
    if (n < x->depth && n < y->depth)
        return x->frames[n] < y->frames[n] ? -1 : 1;
    return (x->depth > y->depth) - (x->depth < y->depth);
}

/* Numbers the frames from 0, and records their names. */
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

/* ---- what most stacks have in common at one end ---- */

static bool is_alike(const struct entry *e, size_t k)
{
    return e->alike == k && e->depth > k;
}

static uint32_t from_end(const struct entry *e, bool at_anchor, size_t k)
{
    return e->frames[at_anchor ? k : e->depth - 1 - k];
}

/* The only frame that can come next in more than half of the stacks that are alike in k frames
 * (Boyer and Moore 1981, majority vote). */
static uint32_t candidate(const struct entry *entries, size_t n, bool at_anchor, size_t k)
{
    uint32_t frame = 0;
    size_t votes = 0;
    for (size_t i = 0; i < n; i++) {
        if (!is_alike(&entries[i], k))
            continue;
        const uint32_t its = from_end(&entries[i], at_anchor, k);
        frame = votes ? frame : its;
        votes = its == frame ? votes + 1 : votes - 1;
    }
    return frame;
}

/* Returns how many of them have the frame next. */
static size_t follow(struct entry *entries, size_t n, bool at_anchor, size_t k, uint32_t frame)
{
    size_t alike = 0;
    for (size_t i = 0; i < n; i++) {
        struct entry *e = &entries[i];
        if (is_alike(e, k) && from_end(e, at_anchor, k) == frame) {
            e->alike++;
            alike++;
        }
    }
    return alike;
}

/* Follows from the end what most stacks have in common, and chooses the number of frames that
 * saves most when they are left out between stacks that have them. */
static void find_common(struct roxi_trie *t, struct entry *entries, bool at_anchor)
{
    const size_t n = t->stacks;
    size_t common = 0;
    double saved = 0;
    for (size_t k = 0, alike = n; 2 * alike > n; k++) {
        alike = follow(entries, n, at_anchor, k, candidate(entries, n, at_anchor, k));
        const double saves = (double)(k + 1) * (double)alike * (double)alike;
        if (2 * alike > n && saves > saved) {
            saved = saves;
            common = k + 1;
            t->alike = alike;
        }
    }
    for (size_t i = 0; i < n; i++)
        entries[i].other = entries[i].alike < common;
    *(at_anchor ? &t->skip : &t->cut) = common;
}

/* Stores the stacks in the order of the sorted entries. */
static void lay_out(struct roxi_trie *t, const struct entry *entries)
{
    bool same_depth = t->stacks && entries[0].depth_first;
    for (size_t i = 0; i < t->stacks; i++) {
        const struct entry *e = &entries[i];
        t->stack[i] = e->stack;
        t->first[i + 1] = t->first[i] + e->depth;
        memcpy(t->frames + t->first[i], e->frames, e->depth * sizeof *t->frames);
        if (i && i != t->alike && !(same_depth && e->depth != e[-1].depth))
            t->shared[i] = (uint32_t)in_common(e, e - 1);
        if (t->shared[i] > t->most_shared)
            t->most_shared = t->shared[i];
        if (e->depth > t->deepest)
            t->deepest = e->depth;
    }
}

int roxi_trie_build(struct roxi_trie *t, const struct roxi_group *g,
                    const struct roxi_symbols *symbols, const struct roxi_strategy *strategy)
{
    size_t n = g->stacks, frames = g->first[n];
    const enum roxi_anchor anchor = strategy->anchor;
    *t = (struct roxi_trie){.stacks = n, .alike = n};
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
    if (strategy->common != ROXI_NO_END)
        find_common(t, entries, (strategy->common == ROXI_TOP_END) == (anchor == ROXI_FROM_TOP));
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
