/* One group (role and thread) of a campaign, gathered for comparing: which executions have it, and
 * which of its distinct call stacks each of them shows how often. */
#ifndef ROXI_GROUP_H
#define ROXI_GROUP_H

#include "roxi/profile.h"

/* Arrays are owned. */
struct roxi_group {
    size_t members;
    size_t *execution; /* by member, ascending: number in the profiles */
    size_t *start;     /* by member, + 1: its range in `local` and `weight` */
    uint32_t *local;   /* numbers of stacks below, ascending within a member */
    double *weight;    /* their counts */
    size_t stacks;     /* distinct ones */
    uint32_t *stack;   /* by local number, ascending: the dictionary's */
    uint32_t *frames;  /* the stacks' frames, entry first, one stack after the other */
    size_t *first;     /* by local number, + 1: its range in `frames` */
};

/* Takes group `number` of every execution; cursor[e] is where its items begin in execution e, and
 * is moved behind them: groups are gathered in ascending order, some left out perhaps, from cursors
 * of 0. -1: memory ran out; release it all the same. */
int roxi_group_gather(struct roxi_group *g, const struct roxi_profiles *p, uint32_t number,
                      size_t *cursor);
void roxi_group_release(struct roxi_group *g);

/* Sorts numbers and drops repeated ones; returns how many are left. */
size_t roxi_distinct(uint32_t *numbers, size_t n);
/* The place of one of them; it is there. */
size_t roxi_place(const uint32_t *distinct, size_t n, uint32_t number);

#endif
