/* SPDX-License-Identifier: Apache-2.0 */
/* Translates the numbers of one dictionary into those of another: merges what several workers
 * loaded in parallel, each with its own dictionary, so that the result is as if one worker had
 * loaded everything.
 *
 * Numbers are assigned in order of first appearance. Each worker records the size of its
 * dictionary after each piece of work. The dictionaries are then translated piece by piece, in
 * the order of the pieces and not of time: everything from earlier pieces is already there, and
 * what a piece adds is new, in the order in which it was met. So every number comes out as if
 * one worker had done all. Each worker must have processed its own pieces in that order.
 */
#ifndef ROXI_TRANSLATION_H
#define ROXI_TRANSLATION_H

#include "roxi/campaign/profile.h"

/* The size of a dictionary: one more than the highest number of each kind. */
struct roxi_extent {
    struct roxi_symbols_count symbols;
    uint32_t groups;
};
struct roxi_extent roxi_extent(const struct roxi_profiles *p);

/* From `from` to `to`: arrays by number, up to `done`. Empty if all but these two is zero. */
struct roxi_translation {
    const struct roxi_profiles *from;
    struct roxi_profiles *to;
    uint32_t *strings, *frames, *stacks, *groups; /* owned */
    struct roxi_extent done;
};

/* Translates everything up to `until`; what is new in `to` gets the next numbers. -1: out of
 * memory. Expected time: linear in what is translated. */
int roxi_translate(struct roxi_translation *t, struct roxi_extent until);
/* Adds all that `from` has, translated; t NULL: as it is. `role`: the string of those who did it,
 * of `to`'s dictionary. -1: out of memory. */
int roxi_translate_use(const struct roxi_translation *t, struct roxi_use *to,
                       const struct roxi_use *from, uint32_t role);
void roxi_translation_free(struct roxi_translation *t);

#endif
