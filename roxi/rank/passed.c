/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/passed.h"

#include <stdlib.h>

#include "roxi/base/interrupt.h"
#include "roxi/rank/model.h"

/* The share of the runs that passed whose differences are usual, and how many there must be. */
#define QUIET 0.9
enum { LEAST = 10, PARTS = 5 };

struct comparing {
    struct roxi_ranking *ranking;
    const bool *passed;
    struct roxi_score_constants constants;
    uint8_t *part_of; /* by run that passed; owned, as is the rest */
    size_t *order;    /* scratch */
    bool *others;     /* by run: those that the part at hand is compared with */
    struct roxi_columns columns;
    struct roxi_together together; /* zero: peers are compared one by one */
    struct roxi_departures departures;
};

static void lower(struct roxi_ranking *r, size_t run, double evidence, double by_length)
{
    if (!(evidence < r->evidence[run]))
        return;
    for (size_t i = r->first[run]; i < r->first[run + 1]; i++)
        r->parts[i].part *= evidence / r->evidence[run];
    r->evidence[run] = evidence;
    r->score[run] = roxi_score_by_length(evidence, r->longer[run], by_length);
}

static int lower_part(struct comparing *c, const struct roxi_model *m, uint8_t part)
{
    for (size_t r = 0; r < c->ranking->n; r++) {
        double evidence;
        if (!c->passed[r] || c->part_of[r] != part)
            continue;
        if (roxi_model_score(m, r, &c->departures, &evidence) != 0)
            return -1;
        lower(c->ranking, r, evidence, c->constants.by_length);
    }
    return 0;
}

/* Compares each part with all others. */
static int compare_parts(struct comparing *c)
{
    int result = 0;
    for (uint8_t part = 0; part < PARTS && result == 0; part++) {
        struct roxi_model m;
        for (size_t r = 0; r < c->ranking->n; r++)
            c->others[r] = c->passed[r] && c->part_of[r] != part;
        result = roxi_model_make(&m, c->ranking->durations, &c->columns,
                                 c->together.durations ? &c->together : NULL, c->others,
                                 &c->constants, &c->departures);
        if (result != 0)
            break;
        result = lower_part(c, &m, part);
        roxi_model_free(&m);
    }
    return result;
}

/* Removes the parts of runs of which nothing is left. */
static void drop_empty(struct roxi_ranking *r)
{
    size_t to = 0, from = 0;
    for (size_t i = 0; i < r->n; i++) {
        const size_t end = r->first[i + 1];
        r->first[i] = to;
        for (; from < end; from++)
            if (r->evidence[i] > 0)
                r->parts[to++] = r->parts[from];
    }
    r->first[r->n] = to;
}

/* Returns how many passed. */
static size_t divide(struct comparing *c)
{
    size_t found = 0;
    for (size_t r = 0; r < c->ranking->n; r++)
        if (c->passed[r])
            c->order[found++] = r;
    roxi_profiles_order(c->ranking->durations->profiles, c->order, found);
    for (size_t i = 0; i < found; i++)
        c->part_of[c->order[i]] = (uint8_t)(i % PARTS);
    return found;
}

int roxi_passed_compare(struct roxi_ranking *r, const struct roxi_score_constants *constants,
                        const bool *passed, struct ix_error *err)
{
    struct comparing c = {.ranking = r,
                          .passed = passed,
                          .constants = *constants,
                          .part_of = calloc(r->n + 1, sizeof *c.part_of),
                          .order = calloc(r->n + 1, sizeof *c.order),
                          .others = calloc(r->n + 1, sizeof *c.others)};
    int result = c.part_of && c.order && c.others ? 0 : -1;
    c.constants.quiet = QUIET;
    if (result == 0 && divide(&c) >= LEAST) {
        result = roxi_columns_make(&c.columns, r->durations);
        if (result == 0 && r->aligned)
            result = roxi_together_make(&c.together, r->durations);
        if (result == 0)
            result = compare_parts(&c);
        drop_empty(r);
    }
    free(c.part_of);
    free(c.order);
    free(c.others);
    roxi_columns_free(&c.columns);
    roxi_together_free(&c.together);
    roxi_departures_free(&c.departures);
    return result == 0 ? 0 : ix_fail(err, roxi_interrupted() ? "interrupted" : "out of memory");
}
