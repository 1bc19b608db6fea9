/* SPDX-License-Identifier: Apache-2.0 */
/* Which packet numbers a campaign can have reached. Numbers only grow, so one that is too high
 * would shut out every JVM that has taken another: a number from a peer is accepted up to what this
 * campaign can have sent, one from the catalogue up to IXOR_NUMBER_MAX.
 */
#ifndef IXOR_NUMBERS_H
#define IXOR_NUMBERS_H

#include <stdbool.h>

#include "schema/catalogue/catalogue.h"
#include "server/sampling/rhythm.h"

/* 1,000 packets a second for 34 years. */
#define IXOR_NUMBER_MAX (INT64_C(1) << 40)

struct ixor_numbers {
    uint64_t last;     /* the next packet is above it */
    uint64_t ceiling;  /* no packet of the last server was above it */
    char warning[160]; /* about an impossible number in the catalogue; or "" */
};

/* As many as are sent in 10 s: packets sent before a crash may not be recorded. */
uint64_t ixor_numbers_gap(const struct ixor_rhythm_options *rhythm);

/* Finds the numbers a starting server continues from. After a crash it skips those that the last
 * server may have sent but not recorded (ixor_numbers_gap); the ceiling allows for every packet
 * that fits the time since the last recorded one. now_ns: wall clock. */
int ixor_numbers_begin(struct ix_catalogue *c, const struct ixor_rhythm_options *rhythm,
                       bool after_crash, int64_t now_ns, struct ixor_numbers *n,
                       struct ix_error *err);

#endif
