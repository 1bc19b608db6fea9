/* SPDX-License-Identifier: Apache-2.0 */
/* What a strategy computes from a campaign: a matrix of distances, or of counts, with names. */
#ifndef ROXI_RUN_MATRIX_H
#define ROXI_RUN_MATRIX_H

#include "roxi/campaign/load_options.h"
#include "roxi/campaign/profile.h"
#include "roxi/distance/compare_options.h"
#include "roxi/distance/matrix.h"

struct roxi_run_matrix_options {
    struct roxi_load_options load;
    struct roxi_compare_options compare; /* its strategy may also count */
    bool no_cache;                       /* neither use nor store distances in the cache */
    bool resume;                         /* continue an interrupted computation */
};

struct roxi_run_matrix {
    struct roxi_profiles *profiles;
    bool owns_profiles;
    struct roxi_matrix distances; /* or */
    struct roxi_sparse counts;
    const char **row_names;
    char **labels;           /* by column of counts, ascending */
    struct roxi_table table; /* the above as a table, for a writer */
};

/* Loads the campaign and computes; the strategy determines what. -1 with a message and nothing
 * to free. With several processes (mpi.h) they compute together, and those other than 0 return -1
 * with an empty message: only process 0 has the result. Call it only once. */
int roxi_run_matrix_make(struct roxi_run_matrix *f, const char *campaign,
                         const struct roxi_run_matrix_options *o, struct ix_error *err);
/* The same for profiles that are already loaded; the caller keeps them, and they must outlive
 * *f. */
int roxi_run_matrix_of(struct roxi_run_matrix *f, struct roxi_profiles *p, const char *campaign,
                       const struct roxi_run_matrix_options *o, struct ix_error *err);
void roxi_run_matrix_free(struct roxi_run_matrix *f);

#endif
