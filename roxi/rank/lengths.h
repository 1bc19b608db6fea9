/* SPDX-License-Identifier: Apache-2.0 */
/* How many packets the JVMs of each role usually answer: the median over all runs. */
#ifndef ROXI_LENGTHS_H
#define ROXI_LENGTHS_H

#include "roxi/campaign/profile.h"

struct roxi_length;

struct roxi_lengths {
    struct roxi_length *list; /* owned; ascending by role */
    size_t count, runs;
};

/* -1: memory ran out. O(n log n) for n roles in all runs. */
int roxi_lengths_make(struct roxi_lengths *l, const struct roxi_profiles *p);
/* 0 if no more than half of the runs have such a JVM. O(n) for the role's n runs. */
double roxi_lengths_usual(const struct roxi_lengths *l, uint32_t role);
void roxi_lengths_free(struct roxi_lengths *l);

#endif
