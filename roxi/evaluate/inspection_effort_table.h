/* SPDX-License-Identifier: Apache-2.0 */
/* The inspection effort (inspection_effort.h) of every way of finding known failures, as a
 * table: random order, plain orders of all runs, and the orders that follow from clusters, for all
 * strategies.
 *
 * Clusters leave two choices open: which clustering, and how many clusters. The table has two
 * answers. One is the thesis's series of numbers of clusters, averaged over the six clusterings:
 * what a tester gets without knowing better. The other is the best of all clusterings and
 * numbers of clusters in hindsight, which nobody can know in advance.
 */
#ifndef ROXI_INSPECTION_EFFORT_TABLE_H
#define ROXI_INSPECTION_EFFORT_TABLE_H

#include "roxi/distance/run_matrix.h"
#include "roxi/evaluate/inspection_effort.h"

/* Texts are constants, or belong to the strategies. */
struct roxi_inspection_effort_row {
    const char *order;      /* random, rank, length, small-clusters, adaptive, adaptive-small */
    const char *strategy;   /* NULL: none */
    double share;           /* clusters in % of the runs; 0: not given */
    const char *best;       /* in hindsight: minimises "all" or "ninety"; NULL: not in hindsight */
    const char *clustering; /* NULL: the mean of six, or none */
    size_t clusters;        /* 0: none */
    struct roxi_inspection_effort effort;
    double *reached; /* owned; inspection_effort.h's curve; NULL: none; means have none */
};

/* All zero: empty and without curves. */
struct roxi_inspection_effort_table {
    bool curves;                             /* rows have curves */
    struct roxi_inspection_effort_row *rows; /* owned */
    size_t count, cap;
};
void roxi_inspection_effort_table_free(struct roxi_inspection_effort_table *table);

/* Takes ownership of the row's curve, even if it fails. -1: out of memory. */
int roxi_inspection_effort_add(struct roxi_inspection_effort_table *table,
                               const struct roxi_inspection_effort_row *row);

/* Adds the rows for one strategy's clusters. In hindsight it tries all numbers of clusters from
 * 1 to n, or 300 of them. failed[i] for run i; at least one must have failed. -1: out of memory. */
int roxi_inspection_effort_add_clusters(struct roxi_inspection_effort_table *table,
                                        const struct roxi_run_matrix *f, const char *strategy,
                                        const bool *failed, struct ix_error *err);

#endif
