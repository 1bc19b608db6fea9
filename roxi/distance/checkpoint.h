/* SPDX-License-Identifier: Apache-2.0 */
/* The state of an unfinished comparison: the matrix so far and what comes next, in a file, so
 * that a later call can continue an interrupted one.
 *
 * The file states what it belongs to (`inputs`: the caller's hash of everything the matrix
 * depends on) and has a checksum; a file that does not match is ignored. It appears complete or
 * not at all, and is removed when the comparison is finished.
 */
#ifndef ROXI_CHECKPOINT_H
#define ROXI_CHECKPOINT_H

#include <stdbool.h>

#include "roxi/distance/matrix.h"
#include "schema/base/error.h"

/* Saving takes at most a twentieth of the computing time, and happens no more often than this: */
#define ROXI_CHECKPOINT_NS 60000000000LL

struct roxi_checkpoint {
    const char *path;
    uint64_t inputs;
    bool resume; /* start from the state in the file, if there is one */
    /* Called now and then; true: save and stop. */
    bool (*interrupted)(void *user);
    void *user;
    /* What comes next: a group, and the first of its stacks that is not finished. */
    uint32_t group;
    size_t stack;
    int64_t next_ns; /* monotonic time of the next save; 0: not yet started */
    bool ending;     /* it was interrupted */
};

/* Loads the state from the file into the matrix, `group` and `stack`, if it belongs to the
 * inputs. False: there is none; nothing is changed. */
bool roxi_checkpoint_load(struct roxi_checkpoint *c, struct roxi_matrix *m);

/* True if it is time to call roxi_checkpoint_step. */
bool roxi_checkpoint_due(struct roxi_checkpoint *c);

/* Call when everything before that stack of that group is in the matrix; saves if it is time. 0:
 * continue; with a message, 1: interrupted and saved, or -1: interrupted, but saving failed. */
int roxi_checkpoint_step(struct roxi_checkpoint *c, const struct roxi_matrix *m, uint32_t group,
                         size_t stack, struct ix_error *err);

/* Call when the comparison is finished: removes the file. */
void roxi_checkpoint_remove(const struct roxi_checkpoint *c);

#endif
