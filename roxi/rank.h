/* How unusual each execution is. A first, simple measure, meant to be replaced: the mean distance
 * to the k nearest other executions, as a robust z-score over the campaign. */
#ifndef ROXI_RANK_H
#define ROXI_RANK_H

#include "roxi/matrix.h"
#include "roxi/profile.h"

/* Divides each distance by the number of stacks that went into it (those of both executions), so
 * that a long run is not unusual for its length. In place. */
void roxi_rank_relate(struct roxi_matrix *distances, const struct roxi_profiles *p);

/* Default of k for n executions: about sqrt(n), so that as many runs that fail alike still look
 * unusual. */
size_t roxi_rank_neighbours(size_t n);

/* score[i]: 0 is typical (the median), 1 is one standard deviation, estimated by the median
 * absolute deviation, farther from the k nearest others than that. n at least 2, k in 1 to n - 1.
 * -1: memory ran out. */
int roxi_rank(const struct roxi_matrix *distances, size_t k, double *score, struct ix_error *err);

#endif
