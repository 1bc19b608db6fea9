/* SPDX-License-Identifier: Apache-2.0 */
/* The stretch of a run in which something most exceeds what is usual: that with the greatest sum of
 * consecutive differences (Page's cumulative sum, Biometrika 41, 1954). */
#ifndef ROXI_EXPLAIN_STRETCH_H
#define ROXI_EXPLAIN_STRETCH_H

#include <stdint.h>

/* Zero, but for `begin` and `last`: the packet from which on is counted. */
struct roxi_stretch {
    double sum, greatest;
    uint64_t begin, found; /* of the present sum, and of the greatest one; 0: there is none */
    uint64_t end;          /* of the greatest one */
    uint64_t last;         /* the packet of the last addition */
};

/* So much more than usual came up to `packet`. */
void roxi_stretch_add(struct roxi_stretch *s, double more, uint64_t packet);
/* So many came at `packet` itself, and since the last addition `rate` a packet are usual. */
void roxi_stretch_add_at(struct roxi_stretch *s, double number, double rate, uint64_t packet);

/* The number in a run up to which a rate is still more likely the usual one than that of the run,
 * if what is counted is independent of each other (the reference value of a CUSUM of counts: Lucas,
 * Technometrics 27, 1985). `usual`, `own`: numbers in a run of that length. A run that has less
 * than `least` times as many as usual is taken to have so many. */
double roxi_stretch_limit(double usual, double own, double least);

#endif
