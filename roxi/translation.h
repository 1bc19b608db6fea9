/* Numbers of one dictionary in terms of another: what several workers loaded at the same time, each
 * with a dictionary of its own, becomes what one would have loaded.
 *
 * Numbers are given in order of first appearance. So if each piece of work says how far its
 * worker's dictionary had grown at its end, and dictionaries are translated piece by piece, in the
 * order of the pieces and not of the time, then every number comes out as if one worker had done
 * all: what an earlier piece brought is there, and what this one brings is new in the order in which
 * it met it. The order holds for each worker's pieces among themselves. */
#ifndef ROXI_TRANSLATION_H
#define ROXI_TRANSLATION_H

#include "roxi/profile.h"

/* How far a dictionary has grown: one above the highest number of each kind. */
struct roxi_extent {
    struct roxi_symbols_count symbols;
    uint32_t groups;
};
struct roxi_extent roxi_extent(const struct roxi_profiles *p);

/* From `from` to `to`: by number, up to `done`. All zero but for these two: nothing yet. */
struct roxi_translation {
    const struct roxi_profiles *from;
    struct roxi_profiles *to;
    uint32_t *strings, *frames, *stacks, *groups; /* owned */
    struct roxi_extent done;
};

/* Translates everything up to `until`; what is new in `to` gets the next numbers. -1: memory ran
 * out. Expected O(what is between). */
int roxi_translate(struct roxi_translation *t, struct roxi_extent until);
void roxi_translation_free(struct roxi_translation *t);

#endif
