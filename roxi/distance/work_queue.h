/* SPDX-License-Identifier: Apache-2.0 */
/* A comparison's work as a list of items: ranges of a group's call stacks, in order, with about
 * equal work in each. All processes (mpi.h) take items from process 0's list, each the next one as
 * soon as it is free; if there is only one process, it takes all.
 *
 * A round ends when the list does, or when the checkpoint is due (checkpoint.h): then everything
 * taken is finished, and the list's position is where to continue. Which process takes which item
 * does not affect the result, because all sums are exact (engine.h). Inexact work is done by
 * process 0 alone, in order.
 */
#ifndef ROXI_WORK_QUEUE_H
#define ROXI_WORK_QUEUE_H

#include <pthread.h>

#include "roxi/campaign/profile.h"
#include "roxi/distance/checkpoint.h"
#include "roxi/distance/matrix.h"
#include "roxi/mpi/mpi.h"

/* The most stacks in an item: the engine computes no more stacks at a time, and an item must
 * take well below a second, so that an interruption is noticed. */
enum { ROXI_WORK_ITEM_STACKS = 1024 };

struct roxi_group_size {
    size_t members, fresh, stacks; /* `fresh`: number of fresh members */
    double items;
};

struct roxi_work_queue {
    const bool *fresh; /* by run; only process 0 has it from its caller; NULL: all are fresh */
    /* At process 0: */
    struct roxi_group_size *group; /* owned */
    size_t groups;
    double work; /* total: for each group the square of its items, as if no two runs shared a stack;
                    groups share stacks about equally */
    double item_work;                   /* amount of work in one item */
    bool alone;                         /* process 0 does everything */
    struct roxi_checkpoint *checkpoint; /* NULL: none */
    pthread_mutex_t lock;               /* protects the following */
    bool begun, over;                   /* the round: an item was taken; no more will be */
    size_t next, stack;                 /* position: a group, and one of its stacks */
    double elsewhere;                   /* taken by other processes since the last query */
    /* For the others: */
    unsigned char *message; /* owned: flags, and for each run whether it is fresh */
    size_t executions;
    bool catching; /* signals are being caught */
};

/* Measures the groups, at process 0; the list begins at the checkpoint's position (NULL: at the
 * start). `fresh` is by run, or NULL: all are. `exact`: whether the sums are exact. -1: out of
 * memory; free it even so. O(items). */
int roxi_work_queue_init(struct roxi_work_queue *s, const struct roxi_profiles *p,
                         const bool *fresh, struct roxi_checkpoint *checkpoint, bool exact);
void roxi_work_queue_free(struct roxi_work_queue *s);

/* Begins a round: process 0 calls the others, which wait for it. 1: begun; 0: nothing left to do
 * for this process; -1: failed. */
int roxi_work_queue_open(struct roxi_work_queue *s, struct ix_error *err);
/* The next item for this process. False: none left in this round. */
bool roxi_work_queue_take(struct roxi_work_queue *s, struct roxi_work_item *item);
/* Ends a round: the sum of all processes' cells is in process 0's cells, and the others' cells are
 * 0. With `failed` this process only stops helping. */
void roxi_work_queue_close(struct roxi_work_queue *s, struct roxi_matrix *out, bool failed);

/* For process 0: everything was taken. */
static inline bool roxi_work_queue_done(const struct roxi_work_queue *s)
{
    return s->next >= s->groups;
}

/* Work taken by other processes since the last call. */
double roxi_work_queue_elsewhere(struct roxi_work_queue *s);

#endif
