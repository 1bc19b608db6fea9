/* SPDX-License-Identifier: Apache-2.0 */
/* How a name is spelt most often, if it is spelt in several ways that differ only in case (ASCII):
 * "Node-3" and "node-3" are one node. */
#ifndef ROXI_SPELLINGS_H
#define ROXI_SPELLINGS_H

#include "roxi/campaign/shape.h"
#include "schema/tracelog/intern.h"

/* All zero: empty. */
struct roxi_spellings {
    struct ix_intern texts;  /* spellings */
    struct ix_intern folded; /* the same in lower case */
    uint64_t *counts;        /* by spelling; owned */
    uint32_t *most;          /* by folded text: its most frequent spelling; owned */
    size_t count_cap, most_cap;
    struct ix_out text; /* scratch */
};
void roxi_spellings_free(struct roxi_spellings *s);

/* Counts a spelling `times` times. -1: out of memory. The result does not depend on the order: of
 * two equally frequent spellings the one that sorts first by bytes wins. O(length). */
int roxi_spellings_add(struct roxi_spellings *s, struct ix_span name, uint64_t times);
/* The most frequent spelling, which lives until the next one is added; `name` if it is not known,
 * or out of memory, which `scratch` shows. O(length). */
struct ix_span roxi_spellings_find(const struct roxi_spellings *s, struct ix_span name,
                                   struct ix_out *scratch);

#endif
