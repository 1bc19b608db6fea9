/* What every way of looking for known failures takes (effort.h), as a table: random order,
 * rankings, and what follows from clusters, by all strategies.
 *
 * Clusters leave two choices open, which clustering and how many clusters. Both are shown: the
 * thesis' ladder of numbers of clusters, averaged over the six clusterings, which is what a tester
 * gets who does not know better; and the best of all clusterings and numbers of clusters in
 * hindsight, which is more than anybody can know. */
#ifndef ROXI_EFFORT_TABLE_H
#define ROXI_EFFORT_TABLE_H

#include "roxi/effort.h"
#include "roxi/features.h"

/* Texts are constants, or the strategies'. */
struct roxi_effort_row {
    const char *order;      /* random, rank, small-clusters, adaptive, adaptive-small */
    const char *strategy;   /* NULL: none, or rank's default */
    double share;           /* clusters in % of the executions; 0: it is not given */
    const char *best;       /* in hindsight: "all" or "ninety", which is least; NULL: it is not */
    const char *clustering; /* NULL: the mean over six, or none */
    size_t clusters;        /* 0: none */
    struct roxi_effort effort;
    double *reached; /* owned; effort.h's curve; NULL: none, or of a mean, which has none */
};

/* All zero: empty, and without curves. */
struct roxi_effort_table {
    bool curves;                  /* rows have one */
    struct roxi_effort_row *rows; /* owned */
    size_t count, cap;
};
void roxi_effort_table_free(struct roxi_effort_table *table);

/* Takes over the row's curve, also if it fails. -1: memory ran out. */
int roxi_effort_add(struct roxi_effort_table *table, const struct roxi_effort_row *row);

/* Adds the rows of one strategy's clusters. In hindsight all numbers of clusters are tried, or 300
 * from 1 to n. failed[i] of execution i; one has failed at least. -1: memory ran out. */
int roxi_effort_add_clusters(struct roxi_effort_table *table, const struct roxi_features *f,
                             const char *strategy, const bool *failed, struct ix_error *err);

#endif
