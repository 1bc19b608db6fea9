/* How unusual each execution is.
 *
 * Each group (role and thread) is looked at alone: how far is the execution from its k nearest
 * others, for a snapshot of the system? Threads differ by orders of magnitude in how much they vary
 * from run to run, so a group's distances are measured in units of their own spread over the
 * campaign; a thread that is steady in all runs but one counts as much as a whole system that is a
 * little off. A floor under the spread keeps trifles in steady threads from counting: the mean
 * spread of all groups. The surpluses of all groups are added by their squares, and the result is
 * standardised over the campaign.
 */
#ifndef ROXI_RANK_H
#define ROXI_RANK_H

#include "roxi/compare.h"

/* Default of k for n executions: about sqrt(n), so that as many runs that fail alike still look
 * unusual. */
size_t roxi_rank_neighbours(size_t n);

/* score[i]: 0 is typical (the median), 1 is one standard deviation, estimated by the median
 * absolute deviation, more unusual than that. At least 2 executions, k in 1 to their number - 1.
 * -1: memory ran out. Time: that of roxi_compare, and a sort of each row for each group. */
int roxi_rank(const struct roxi_profiles *p, const struct roxi_compare_options *options, size_t k,
              double *score, struct ix_error *err);

/* The last step alone: far[g * n + i] is the distance of execution i from its nearest others in
 * group g. -1: memory ran out. */
int roxi_rank_combine(const double *far, size_t groups, size_t n, double *score);

#endif
