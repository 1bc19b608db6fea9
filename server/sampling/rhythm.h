/* SPDX-License-Identifier: Apache-2.0 */
/* When the next packet is due. Pure: the caller passes the time (monotonic clock, ns).
 *
 * Packets follow a beat: one every `every_ns`, counted from the start, so that a late packet does
 * not delay the others. Jitter moves each by a uniform random time in either direction; `random`
 * replaces the beat by exponential gaps with mean every_ns (a Poisson process, so that no period of
 * the system under test can stay in phase with it). A burst sends several packets at each beat.
 *
 * Missed packets are not made up for: after a pause of any length at most one packet is due at
 * once.
 */
#ifndef IXOR_RHYTHM_H
#define IXOR_RHYTHM_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/base/error.h"

#define IXOR_EVERY_MIN_NS 1000000u /* also the shortest gap of `random` and within a burst */

struct ixor_rhythm_options {
    uint64_t every_ns;
    uint64_t jitter_ns; /* in either direction; at most half of every_ns */
    bool random;
    unsigned burst;    /* packets at each beat; 0 and 1: one */
    uint64_t burst_ns; /* between them */
    uint64_t seed;     /* of the random times */
};

/* 0, or -1 with the reason: bursts that do not fit between beats, jitter above half of every_ns, or
 * both jitter and random. */
int ixor_rhythm_check(const struct ixor_rhythm_options *o, struct ix_error *err);

/* Whether any time is random, so that the seed matters. */
bool ixor_rhythm_is_random(const struct ixor_rhythm_options *o);
/* The options that reproduce the same random times. False: nothing is random, and *text is "". */
#define IXOR_RHYTHM_TEXT 192
bool ixor_rhythm_words(const struct ixor_rhythm_options *o, char text[IXOR_RHYTHM_TEXT]);

struct ixor_rhythm {
    struct ixor_rhythm_options options;
    uint64_t beat_ns;  /* the current beat, without jitter */
    uint64_t begin_ns; /* its first packet */
    uint64_t due_ns;   /* when the next packet is due */
    unsigned nth;      /* its place in the burst, from 0 */
    uint64_t state;    /* of the random numbers */
};

/* The first packet is due every_ns after now. The options must have been checked. */
void ixor_rhythm_start(struct ixor_rhythm *r, const struct ixor_rhythm_options *o, uint64_t now_ns);
/* Call when the due packet is sent; moves r->due_ns to the next time after now. True: the packet is
 * part of a burst. */
bool ixor_rhythm_step(struct ixor_rhythm *r, uint64_t now_ns);

#endif
