/* SPDX-License-Identifier: Apache-2.0 */
/* What durations (durations.h) are typical of runs, and how far from that a run is.
 *
 * A duration of p packets is measured as 2 sqrt(p). In how many packets something is seen depends
 * on chance, with a standard deviation of sqrt(p) if packets are independent; on this scale that is
 * 1 everywhere (Anscombe 1948). The centre is the median of the runs. The unit is their median
 * absolute deviation, as a standard deviation, plus `resolution`, which stands for what sampling
 * cannot distinguish: a smaller difference is no evidence, however steady the runs are. Both
 * tolerate that up to half of the runs are odd.
 *
 * A longest stay depends on chance more than a sum does, because it is one event, and a single
 * pause of a busy machine makes one. So its resolution is twice as much; and only one that is
 * longer than typical is evidence. The same goes for the longest time without an answer, and for
 * that in which something is not read.
 *
 * Of turns, of what goes over connections, of JVMs that end badly, and of threads outside of the
 * application, too, only more than typical is evidence; and of turns only of threads that typically
 * have some: which name a thread goes by when it is looked at is chance.
 *
 * Which classes of exceptions a run makes depends little on chance, so one that few runs make is
 * evidence: of n runs with such records of which k make one, 1 + 1.5 log(n / 3k) units, if that is
 * more than 1. (As in words of a text: Spaerck Jones 1972.)
 *
 * Where peers' work is chance, what one of them does counts in full only as far as it is unusual of
 * all of them together (peers.h); of the rest three tenths count, at most one unit.
 *
 * On a busy machine everything takes longer. So a run that is longer than the median is compared a
 * second time with all its durations divided by how much longer it lasted, and the nearer result
 * counts: only what a slower machine does not explain is evidence. Exceptions and rare code are
 * no durations, and are compared as they are. But a run that waits for a
 * time-out is not slower for that. So for the score calls are divided by how much slower the run
 * was: the factor that three in ten of the common calls do not exceed. What the run's departures
 * are is told by the former, since in a longer run many calls wait for longer, of which most do not
 * tell why.
 *
 * Some loci vary a lot without anything being wrong. So for each one the model also has how far
 * from typical most of the runs are there. */
#ifndef ROXI_MODEL_H
#define ROXI_MODEL_H

#include <math.h>
#include <stdbool.h>

#include "roxi/rank/durations.h"
#include "roxi/rank/peers.h"

/* A number of packets, or of other events, on the scale above. */
static inline double roxi_scaled(double count)
{
    return 2 * sqrt(count);
}

static inline double roxi_unscaled(double scaled)
{
    return scaled * scaled / 4;
}

/* The same durations item by item. */
struct roxi_columns {
    size_t *first; /* by item, and one more; owned */
    struct roxi_cell {
        uint32_t run; /* ascending within an item */
        uint32_t packets;
    } * cells; /* owned */
};
/* -1: memory ran out; nothing is left to free. O(durations). */
int roxi_columns_make(struct roxi_columns *c, const struct roxi_durations *d);
void roxi_columns_free(struct roxi_columns *c);

/* Scores above this are worth a look. */
#define ROXI_WORTH_A_LOOK 1.0

struct roxi_score_constants {
    double resolution; /* see above */
    double quiet;      /* share of the runs that are as far from typical as is usual */
    double by_length;  /* the power by which a run's length counts (score.h) */
};
extern const struct roxi_score_constants roxi_score_default;

struct roxi_model {
    const struct roxi_durations *durations;
    const struct roxi_together *together; /* NULL: peers are not looked at together */
    double *centre, *unit;                /* by item, on the scale above; owned */
    double *of_peers, *peers_unit; /* the same by set of items that peers have in common; owned */
    uint32_t *common;              /* items whose centre is not 0, ascending; owned */
    size_t common_count;
    double length; /* the median of the runs, in packets (participation.h) */
    double *usual; /* by locus: the distance that most runs do not exceed, at least 1; owned */
};

/* How far a run is from typical in a locus: in the item that is farthest. */
struct roxi_departure {
    uint32_t locus, item;
    double z;        /* in units */
    double counted;  /* in units, for the score: at least z, and above 1 */
    double evidence; /* of z: 0 if it is usual; if that goes for all of a run, of `counted` */
};

/* All zero: empty. Owned. */
struct roxi_departures {
    struct roxi_departure *list; /* by locus */
    size_t count, cap;
    double sum;                  /* the score: at least the sum of their evidence */
    uint32_t *at;                /* by locus: number in the list + 1, while it is made; else 0 */
    struct roxi_departure *work; /* to sort them */
    size_t work_cap;
    double *sums;   /* by set of items: of the run's peers, while it is made; else 0 */
    double *ratios; /* scratch: one for each common item */
    size_t ratio_cap;
};
void roxi_departures_free(struct roxi_departures *s);

/* Of the runs in `of`, by run (NULL: all), at least one. `together`: may be NULL, and must outlive
 * this. `work`: scratch. -1: memory ran out, or the user interrupted; nothing is left to free.
 * O(durations log runs). */
int roxi_model_make(struct roxi_model *m, const struct roxi_durations *d,
                    const struct roxi_columns *c, const struct roxi_together *together,
                    const bool *of, const struct roxi_score_constants *constants,
                    struct roxi_departures *work);
void roxi_model_free(struct roxi_model *m);

/* Replaces the list by that of the loci in which a run with these durations, ascending by item, is
 * more than a unit from typical. Of items that are equally far the first one counts. -1: memory ran
 * out. O(count, and common items). */
int roxi_model_find(struct roxi_departures *found, const struct roxi_model *m, size_t run,
                    const struct roxi_duration *durations, size_t count);
/* How many times as long as typical a run lasted, in packets. */
double roxi_model_longer(const struct roxi_model *m, size_t run);
/* The evidence of being so many units beyond what is usual (score.h, step 3). */
static inline double roxi_excess_evidence(double units)
{
    return units > 0 ? log1p(units * units) : 0;
}
/* The sum of evidence of a run as its members are named. `work`: scratch, then its distances. -1:
 * memory ran out. */
int roxi_model_score(const struct roxi_model *m, size_t run, struct roxi_departures *work,
                     double *score);

/* How many of n runs are in `reference` (NULL: all). */
size_t roxi_reference_count(const bool *reference, size_t n);

#endif
