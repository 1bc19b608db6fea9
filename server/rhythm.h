/* When the next packet is due. Pure: it is told the time, a monotonic clock in ns.
 *
 * Packets keep to a beat: one each `every_ns`, counted from the start, so that being late with one
 * puts off no other. Jitter moves each by a uniform random time to either side; `random` leaves the
 * beat and makes the gaps exponential with mean every_ns (a Poisson process, which no period of the
 * system under test can keep step with). A burst is several packets instead of one.
 *
 * What was missed is not made up for: after a stop of any length, one packet at most is due at once.
 */
#ifndef IXOR_RHYTHM_H
#define IXOR_RHYTHM_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/error.h"

#define IXOR_EVERY_MIN_NS 1000000u /* also the shortest gap of `random` and within a burst */

struct ixor_rhythm_options {
    uint64_t every_ns;
    uint64_t jitter_ns; /* to either side; at most half of every_ns */
    bool random;
    unsigned burst; /* packets at each beat; 0 and 1: one */
    uint64_t burst_ns;  /* between them */
    uint64_t seed;      /* of what is random */
};

/* 0, or -1 with the reason: bursts that do not fit between beats, jitter beyond half of it, or both
 * jitter and random. */
int ixor_rhythm_check(const struct ixor_rhythm_options *o, struct ix_error *err);

struct ixor_rhythm {
    struct ixor_rhythm_options options;
    uint64_t beat_ns;  /* the beat at hand, without jitter */
    uint64_t begin_ns; /* its first packet */
    uint64_t due_ns;   /* when the next packet is due */
    unsigned nth;      /* which of the burst that will be, from 0 */
    uint64_t state;    /* of the random numbers */
};

/* The first packet is due one every_ns after now. The options must have been checked. */
void ixor_rhythm_start(struct ixor_rhythm *r, const struct ixor_rhythm_options *o, uint64_t now_ns);
/* The packet that is due is sent now; r->due_ns becomes the next time, which is after now. True: it
 * is part of a burst. */
bool ixor_rhythm_step(struct ixor_rhythm *r, uint64_t now_ns);

#endif
