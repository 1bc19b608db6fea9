/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/columns.h"

#include <stdlib.h>
#include <string.h>

#include "roxi/rank/nearest.h"
#include "schema/base/grow.h"

void roxi_columns_free(struct roxi_columns *c)
{
    free(c->of);
    free(c->cells);
    *c = (struct roxi_columns){.n = c->n};
}

double *roxi_columns_add(struct roxi_columns *c, struct roxi_column column)
{
    struct roxi_column *of = ix_grow(c->of, &c->cap, c->count + 1, sizeof *of);
    if (!of)
        return NULL;
    c->of = of;
    double *cells = ix_grow(c->cells, &c->cell_cap, (c->count + 1) * c->n, sizeof *cells);
    if (!cells)
        return NULL;
    c->cells = cells;
    of[c->count] = column;
    memset(cells + c->count * c->n, 0, c->n * sizeof *cells);
    return cells + c->count++ * c->n;
}

bool roxi_unknown(const struct roxi_profiles *p, size_t execution, bool of_role, uint32_t place)
{
    const struct roxi_profile *x = &p->executions[execution];
    const uint32_t role = of_role ? place : (uint32_t)(roxi_tally_key(&p->groups, place) >> 32);
    return roxi_features_unknown(x->features, x->feature_count, role);
}

/* ---- call stacks ---- */

struct stacks {
    const struct roxi_survey *survey;
    struct roxi_columns *out;
};

/* Both directions, each related to the stacks of the execution it was summed over, so that a long
 * run is not unusual for its length. */
static double related(const struct roxi_survey *s, const struct roxi_matrix *directed, size_t a,
                      size_t b)
{
    const double of_a = (double)s->profiles->executions[a].total;
    const double of_b = (double)s->profiles->executions[b].total;
    double sum = 0;
    if (of_a > 0)
        sum += *roxi_cell(directed, a, b) / of_a;
    if (of_b > 0)
        sum += *roxi_cell(directed, b, a) / of_b;
    return sum;
}

static int by_group(const void *a, const void *b)
{
    const uint32_t group = *(const uint32_t *)a;
    const struct roxi_item *item = b;
    return (group > item->group) - (group < item->group);
}

static bool anyone_has(const struct roxi_profiles *p, uint32_t group)
{
    for (size_t e = 0; e < p->count; e++) {
        const struct roxi_profile *x = &p->executions[e];
        if (x->count && bsearch(&group, x->items, x->count, sizeof *x->items, by_group))
            return true;
    }
    return false;
}

static int survey_group(void *user, uint32_t group, const struct roxi_matrix *directed)
{
    const struct stacks *x = user;
    const struct roxi_survey *s = x->survey;
    const size_t n = directed->n;
    if (!anyone_has(s->profiles, group))
        return 0;
    double *far = roxi_columns_add(x->out, (struct roxi_column){ROXI_STACKS, group, 0});
    bool *unknown = calloc(n + 1, sizeof *unknown);
    const size_t rows = far && unknown ? n : 0;
    int failed = !far || !unknown;
    for (size_t i = 0; i < rows; i++)
        unknown[i] = roxi_unknown(s->profiles, i, false, group);
#pragma omp parallel for schedule(static) reduction(| : failed)
    for (size_t i = 0; i < rows; i++) {
        double *row = calloc(n + 1, sizeof *row);
        size_t others = 0;
        for (size_t o = 0; row && !unknown[i] && o < n; o++)
            if (o != i && !unknown[o] && (!s->reference || s->reference[o]))
                row[others++] = related(s, directed, i, o);
        if (row)
            far[i] = roxi_nearest_mean(row, others, s->k);
        failed |= !row;
        free(row);
    }
    free(unknown);
    return failed ? -1 : 0;
}

int roxi_survey_stacks(const struct roxi_survey *s, const struct roxi_compare_options *options,
                       struct roxi_columns *out, struct ix_error *err)
{
    struct stacks x = {s, out};
    return roxi_compare_groups(s->profiles, options, survey_group, &x, err);
}
