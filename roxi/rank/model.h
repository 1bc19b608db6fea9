/* SPDX-License-Identifier: Apache-2.0 */
/* What runs are compared with: what is typical of them (typical.h), and how far from that they
 * usually are, because some loci vary a lot without anything being wrong. */
#ifndef ROXI_MODEL_H
#define ROXI_MODEL_H

#include "roxi/rank/typical.h"

/* Scores above this are worth a look. */
#define ROXI_WORTH_A_LOOK 1.0

struct roxi_score_constants {
    double resolution; /* typical.h */
    double quiet;      /* share of the runs that are as far from typical as is usual */
    double swap;       /* share of a score that a role swap must leave at most (score.h, align.h) */
    double by_length;  /* the power by which a run's length counts (score.h) */
};
extern const struct roxi_score_constants roxi_score_default;

struct roxi_model {
    struct roxi_typical typical;
    double *usual; /* by locus: the distance that most runs do not exceed, at least 1; owned */
};

/* Of the runs in `of`, by run (NULL: all), at least one. `together`: may be NULL, and must outlive
 * this (typical.h). `work`: scratch. -1: memory ran out, or the user interrupted; nothing is left
 * to free. O(durations log runs). */
int roxi_model_make(struct roxi_model *m, const struct roxi_durations *d,
                    const struct roxi_columns *c, const struct roxi_together *together,
                    const bool *of, const struct roxi_score_constants *constants,
                    struct roxi_departures *work);
void roxi_model_free(struct roxi_model *m);

/* How far a run with these durations is from typical. -1: memory ran out. */
int roxi_model_find(struct roxi_departures *found, const struct roxi_model *m, size_t run,
                    const struct roxi_duration *durations, size_t count);
/* How many times as long as typical a run lasted, in packets. */
double roxi_model_longer(const struct roxi_model *m, size_t run);
/* The evidence of being so many units beyond what is usual (score.h, step 3). */
static inline double roxi_excess_evidence(double units)
{
    return units > 0 ? log1p(units * units) : 0;
}
/* What a distance adds to a score: 0 if it is usual. */
double roxi_model_evidence(const struct roxi_model *m, const struct roxi_departure *d);
/* What exceptions add to a score, of their evidence, beside what all other loci add: by themselves
 * they are not worth a look. */
double roxi_model_beside(double evidence, double others);
double roxi_model_sum(const struct roxi_model *m, const struct roxi_departures *d);
/* The sum of a run as its members are named. `work`: scratch, then its distances. -1: memory ran
 * out. */
int roxi_model_score(const struct roxi_model *m, size_t run, struct roxi_departures *work,
                     double *score);

#endif
