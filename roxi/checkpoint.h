/* The state of a comparison that is not finished: the matrix so far and what comes next, in a file, so
 * that a later call goes on where this one was interrupted.
 *
 * The file says what it belongs to (`inputs`: the caller's hash of everything the matrix depends on)
 * and has a checksum; one that does not fit is as good as none. It appears whole or not at all, and
 * is removed when the comparison is done. */
#ifndef ROXI_CHECKPOINT_H
#define ROXI_CHECKPOINT_H

#include <stdbool.h>

#include "roxi/matrix.h"
#include "schema/error.h"

/* Of the time that computing takes, saving takes at most a twentieth, and never more often than: */
#define ROXI_CHECKPOINT_NS 60000000000LL

struct roxi_checkpoint {
    const char *path;
    uint64_t inputs;
    bool resume; /* begin with the state in the file, if there is one */
    /* Asked now and then; true: save, and end. */
    bool (*interrupted)(void *user);
    void *user;
    /* What comes next: a group, and the first of its stacks that has not been done. */
    uint32_t group;
    size_t stack;
    int64_t next_ns; /* monotonic; when to save next; 0: not yet begun */
    bool ending;     /* it was interrupted */
};

/* Takes the state from the file into the matrix, `group` and `stack`, if it belongs to the inputs.
 * False: there is none; everything is as it was. */
bool roxi_checkpoint_load(struct roxi_checkpoint *c, struct roxi_matrix *m);

/* It is time for a step. */
bool roxi_checkpoint_due(struct roxi_checkpoint *c);

/* Everything before that stack of that group is in the matrix: saves it if it is time. 0 to go on;
 * 1: interrupted, and saved; -1: interrupted, and it could not be saved, or a message. */
int roxi_checkpoint_step(struct roxi_checkpoint *c, const struct roxi_matrix *m, uint32_t group,
                         size_t stack, struct ix_error *err);

/* The comparison is done. */
void roxi_checkpoint_remove(const struct roxi_checkpoint *c);

#endif
