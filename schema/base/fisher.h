/* SPDX-License-Identifier: Apache-2.0 */
/* Whether runs fail as often in one campaign as in another: Fisher's exact test. */
#ifndef IX_FISHER_H
#define IX_FISHER_H

#include <stddef.h>

/* Runs that have a verdict. */
struct ix_tried {
    size_t failed, judged;
};

/* The probability that two groups of runs that fail at one rate differ as much as these by chance,
 * or more, in either direction: the sum over all tables with the same margins that are no more
 * probable than this one (R. A. Fisher, The Design of Experiments, 1935). 1 if either group is
 * empty. O(failed runs of both). */
double ix_fisher(struct ix_tried a, struct ix_tried b);

/* A number of runs of b, none of which fails, after which ix_fisher is below `level` if a stays as
 * it is, and after one run less is not; 0: not even `most` would do. O(failed runs of a x log
 * most).
 */
size_t ix_fisher_needs(struct ix_tried a, double level, size_t most);

#endif
