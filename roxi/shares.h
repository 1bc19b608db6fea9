/* A comparison's work as a list of shares: ranges of a group's call stacks, in order, with about as
 * much work each. All ranks (ranks.h) take from rank 0's list, whoever is free the next one; with
 * one rank that one takes all.
 *
 * A round ends when the list does, or when the checkpoint is due (checkpoint.h): what was taken is then
 * done, and the list's position says what comes next. Which rank takes what changes no result: all
 * that is added up is exact (engine.h). What is not exact is left to rank 0 alone, in order.
 */
#ifndef ROXI_SHARES_H
#define ROXI_SHARES_H

#include <pthread.h>

#include "roxi/compare.h"
#include "roxi/ranks.h"

/* What a share's range comes to at most: the engine computes no more stacks at a time, and it is to
 * be done in well below a second, so that an interruption is heard. */
enum { ROXI_SHARE_STACKS = 1024 };

struct roxi_group_size {
    size_t members, fresh, stacks; /* `fresh`: members that are */
    double items;
};

struct roxi_shares {
    const bool *fresh; /* as in the options, which only rank 0 knows of itself; NULL: all are */
    /* At rank 0: */
    struct roxi_group_size *group; /* owned */
    size_t groups;
    double work;  /* of all: for each group its items squared, as if no two executions shared a
                     stack; groups share them about equally */
    double share; /* of that in one share */
    bool alone;   /* rank 0 does all */
    struct roxi_checkpoint *checkpoint; /* NULL: none */
    pthread_mutex_t lock;               /* of what follows */
    bool begun, over;                   /* the round: a share was taken; no more are */
    size_t next, stack;                 /* position: a group, and one of its stacks */
    double elsewhere;                   /* taken by other ranks since that was last asked */
    /* For the others: */
    unsigned char *message; /* owned: flags, and for each execution whether it is fresh */
    size_t executions;
    bool catching; /* signals */
};

/* Measures the groups, at rank 0; the list begins where the checkpoint does. `exact`: the sums are.
 * -1: memory ran out; free it all the same. O(items). */
int roxi_shares_init(struct roxi_shares *s, const struct roxi_profiles *p,
                     const struct roxi_compare_options *options, bool exact);
void roxi_shares_free(struct roxi_shares *s);

/* Begins a round: rank 0 calls the others, who await that. 1: begun; 0: nothing is left to be done by
 * this rank; -1: failed. */
int roxi_shares_open(struct roxi_shares *s, struct ix_error *err);
/* What this rank is to do next. False: nothing in this round. */
bool roxi_shares_take(struct roxi_shares *s, struct roxi_share *share);
/* The end of a round: the sum of all ranks' cells is in those of rank 0, and 0 in the others'. With
 * `failed` this rank only stops helping. */
void roxi_shares_close(struct roxi_shares *s, struct roxi_matrix *out, bool failed);

/* Rank 0: everything was taken. */
static inline bool roxi_shares_done(const struct roxi_shares *s)
{
    return s->next >= s->groups;
}

/* Work that other ranks took since this was last asked. */
double roxi_shares_elsewhere(struct roxi_shares *s);

#endif
