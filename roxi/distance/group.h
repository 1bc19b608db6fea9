/* SPDX-License-Identifier: Apache-2.0 */
/* One group (role and thread) of a campaign, gathered for comparison: which runs have it, and
 * how often each of them shows each of its distinct call stacks. */
#ifndef ROXI_GROUP_H
#define ROXI_GROUP_H

#include "roxi/campaign/profile.h"

/* Arrays are owned. */
struct roxi_group {
    size_t members;
    size_t *execution; /* by member, ascending: the run's number in the profiles */
    size_t *start;     /* by member, + 1: its range in `local` and `weight` */
    uint32_t *local;   /* local numbers of stacks, ascending within a member */
    double *weight;    /* their counts */
    size_t stacks;     /* distinct ones */
    uint32_t *stack;   /* by local number, ascending: the dictionary's number */
    uint32_t *frames;  /* the stacks' frames, entry frame first, one stack after the other */
    size_t *first;     /* by local number, + 1: its range in `frames` */
};

/* Gathers group `number` of every run; cursor[e] is where its items begin in run e, and is moved
 * past them. Gather groups in ascending order, starting with cursors of 0; groups may be
 * skipped. -1: out of memory; release it even so. */
int roxi_group_gather(struct roxi_group *g, const struct roxi_profiles *p, uint32_t number,
                      size_t *cursor);
void roxi_group_release(struct roxi_group *g);

/* Sorts numbers and removes duplicates; returns how many are left. */
size_t roxi_distinct(uint32_t *numbers, size_t n);
/* The index of a number, which must be there. */
size_t roxi_place(const uint32_t *distinct, size_t n, uint32_t number);

#endif
