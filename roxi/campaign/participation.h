/* SPDX-License-Identifier: Apache-2.0 */
/* How the JVMs of a role took part in a run, whatever their threads did. */
#ifndef ROXI_PARTICIPATION_H
#define ROXI_PARTICIPATION_H

#include <stddef.h>
#include <stdint.h>

/* Sums over the role's JVMs; `lost` and `early` are those of the JVM that has most. */
struct roxi_participation {
    uint32_t role;      /* a string of the dictionary */
    uint32_t bad_ends;  /* JVMs that did not end orderly, or whose log is not whole */
    uint32_t too_short; /* JVMs that were over before they could answer a packet: whether they did,
                           and how they ended, is chance */
    uint32_t vanished;  /* of those: JVMs that did not end orderly */
    uint64_t answered;  /* packets, including those that do not count */
    uint64_t lost; /* the longest series of packets that a JVM did not answer between two that it
                      did */
    uint64_t lost_from; /* the first packet of the earliest such series; 0: there is none */
    uint64_t early;     /* packets between a JVM's last one and the last that any JVM of the run
                           answered; for a JVM that answered none, from the first to the last of all,
                           meaningless if a JVM was too short */
};

/* Sorts by role, and adds up those of the same role; returns how many remain. O(n log n). */
size_t roxi_participation_merge(struct roxi_participation *list, size_t count);

/* That of a role; all zero if it is not there. O(count). */
struct roxi_participation roxi_participation_of(const struct roxi_participation *list, size_t count,
                                                uint32_t role);

/* The most packets that the JVMs of one role answered: how long the run was. O(count). */
uint64_t roxi_participation_length(const struct roxi_participation *list, size_t count);

#endif
