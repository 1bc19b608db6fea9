/* SPDX-License-Identifier: Apache-2.0 */
/* How runs are disturbed, so that rare failures occur more often. */
#ifndef IXOR_DISTURBANCE_H
#define IXOR_DISTURBANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/base/error.h"

#define IXOR_HOGS_MAX 256u
#define IXOR_CPU_MAX 100000u /* percent of one processor */

struct ixor_disturbance {
    unsigned cpu;  /* percent of one processor for the command; 0: no limit */
    unsigned hogs; /* busy processes beside it */
    bool pause;    /* its JVMs are stopped for a short time, one at a time */
};

/* "cpu=25%,hogs=4,pause": one or more of them, each once. 0 or -1. */
int ixor_disturbance_parse(const char *text, struct ixor_disturbance *d, struct ix_error *err);
bool ixor_disturbance_any(const struct ixor_disturbance *d);
/* The same disturbance as text, always in the same order. */
#define IXOR_DISTURBANCE_TEXT 64
void ixor_disturbance_words(const struct ixor_disturbance *d, char text[IXOR_DISTURBANCE_TEXT]);

/* ---- pauses ---- */

/* In ns. Long enough to lose a race, short enough that no connection is given up. */
#define IXOR_PAUSE_MIN_NS 5000000u
#define IXOR_PAUSE_MAX_NS 200000000u

struct ixor_pause {
    uint64_t after_ns; /* since the end of the one before, or the first JVM */
    uint64_t lasts_ns;
    double which; /* of n JVMs, number floor(which * n) is paused */
};
/* The next pause. Both times are between the bounds above, their logarithms uniform: short pauses
 * are frequent, and long ones occur. *state begins as the seed. */
struct ixor_pause ixor_pause_next(uint64_t *state);

#endif
