/* SPDX-License-Identifier: Apache-2.0 */
/* A group that the engine compares; private to engine.c and engine_fresh.c. */
#ifndef ROXI_ENGINE_WORK_H
#define ROXI_ENGINE_WORK_H

#include "roxi/distance/sets.h"
#include "roxi/distance/trie.h"

struct roxi_engine;
struct roxi_group;

struct roxi_engine_item {
    uint32_t query; /* index into `query` below */
    double weight;
};

struct roxi_work {
    const struct roxi_engine *engine;
    const struct roxi_group *group;
    struct roxi_trie trie;
    struct roxi_sets sets;
    uint32_t *query; /* places in the trie, sorted by depth so that blocks are filled evenly */
    struct roxi_engine_item *items; /* by member, in the group's ranges; ascending by query */
    size_t *begin;                  /* by member: where its items of the present batch begin */
    size_t *end;                    /* and where they end */
    size_t batch;                   /* queries at a time */
    double *nearest;                /* batch x sets */
};

/* Fills in everything except engine and group. -1: out of memory; release it even so. */
int roxi_work_prepare(struct roxi_work *w);
void roxi_work_release(struct roxi_work *w);

/* How many threads to use for this many steps. */
int roxi_engine_threads(const struct roxi_engine *engine, double steps);

#endif
