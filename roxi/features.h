/* What a strategy makes of a campaign: a matrix of distances, or of counts, with names. */
#ifndef ROXI_FEATURES_H
#define ROXI_FEATURES_H

#include "roxi/format.h"
#include "roxi/options.h"
#include "roxi/profile.h"

struct roxi_features {
    struct roxi_profiles *profiles;
    bool owns_profiles;
    struct roxi_matrix distances; /* or */
    struct roxi_sparse counts;
    const char **row_names;
    char **labels;           /* by column of counts, ascending */
    struct roxi_table table; /* of all that, for a writer */
};

/* Loads the campaign and computes; o->strategy decides which. -1 with a message, nothing left to
 * free. With several ranks (ranks.h) they compute together, and those other than 0 end with -1 and an
 * empty message: only rank 0 has the result. To be called once. */
int roxi_features_make(struct roxi_features *f, const char *campaign, const struct roxi_options *o,
                       struct ix_error *err);
/* The same of profiles that are loaded already; they stay the caller's, and must outlive *f. */
int roxi_features_of(struct roxi_features *f, struct roxi_profiles *p, const char *campaign,
                     const struct roxi_options *o, struct ix_error *err);
void roxi_features_free(struct roxi_features *f);

#endif
