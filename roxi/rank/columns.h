/* SPDX-License-Identifier: Apache-2.0 */
/* How far each execution is from its nearest others, looked at in one place and one respect at a
 * time: what a ranking is made of. A column is such a place and respect; a new one is cheap to add.
 */
#ifndef ROXI_COLUMNS_H
#define ROXI_COLUMNS_H

#include "roxi/distance/compare.h"

struct roxi_column {
    enum roxi_feature feature;
    uint32_t place; /* as in struct roxi_feature_item; of stacks: a group */
    uint32_t key;   /* packets and threads: which number of them (features.h); else 0 */
};

/* All zero but n: none. */
struct roxi_columns {
    size_t n; /* executions */
    struct roxi_column *of;
    double *cells; /* count x n, column after column; both owned */
    size_t count, cap, cell_cap;
};
void roxi_columns_free(struct roxi_columns *c);

/* Room for a further column, all 0, until the next one is added. NULL: memory ran out. */
double *roxi_columns_add(struct roxi_columns *c, struct roxi_column column);

static inline double *roxi_column_at(const struct roxi_columns *c, size_t column)
{
    return c->cells + column * c->n;
}

/* Who is compared with whom. */
struct roxi_survey {
    const struct roxi_profiles *profiles;
    const bool *reference; /* by execution: others are compared with these; NULL: all */
    size_t k;              /* nearest ones; at least k + 1 are reference */
};

/* Whether nothing is known of an execution at a place, a role or else a group, because all the
 * role's VMs were over before they answered a packet. There it is 0 away from all others, and they
 * are not compared with it. */
bool roxi_unknown(const struct roxi_profiles *p, size_t execution, bool of_role, uint32_t place);

/* Call stacks: a column for each group that anyone has, the directed distances of compare.h in both
 * directions, each divided by the number of stacks of the execution that it was summed over. -1:
 * with a message. Time: that of roxi_compare, and O(n^2) for each group. */
int roxi_survey_stacks(const struct roxi_survey *s, const struct roxi_compare_options *options,
                       struct roxi_columns *out, struct ix_error *err);

/* Another feature, which must have been loaded. Packets, early and threads: a column for each
 * number, its distance is that of the logarithms to base 2, 1 being added before. Ends: half the
 * sum of the differences of the numbers of VMs, less half of those that were too short (they go
 * with any end). States: the same of such logarithms of the counts. Stays and moves: of the counts,
 * each divided by the role's packets; stays by length alone, weighted with it. With more than
 * ROXI_SURVEY_MOST reference executions as many of them, evenly spread, stand for all, and k
 * becomes as much smaller. -1: memory ran out. O(n min(n, ROXI_SURVEY_MOST) items). */
int roxi_survey_feature(const struct roxi_survey *s, enum roxi_feature feature,
                        struct roxi_columns *out, struct ix_error *err);
enum { ROXI_SURVEY_MOST = 1000 };

#endif
