/* SPDX-License-Identifier: Apache-2.0 */
/* How far ahead of sending the packets' target times lie (--lead). Pure.
 *
 * Automatic: a high quantile of the recent delays of requests on their way to the JVMs, plus a
 * margin. Delays are counted in classes an eighth of an octave wide; every IXOR_LEAD_HALF_LIFE_NS
 * all counts are halved. The lead follows a network that becomes slow within a second or two, as
 * soon as one in a hundred delays is longer; one that becomes fast after some minutes.
 */
#ifndef IXOR_LEAD_H
#define IXOR_LEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IXOR_LEAD_AUTO UINT64_MAX   /* as an option's value */
#define IXOR_LEAD_FIRST_NS 2000000u /* automatic, before anything is known */
#define IXOR_LEAD_MIN_NS 500000u
#define IXOR_LEAD_MAX_NS 100000000u
#define IXOR_LEAD_HALF_LIFE_NS 15000000000ull

/* 1 us to 1 s. */
#define IXOR_LEAD_CLASSES 160

struct ixor_lead {
    uint64_t fixed_ns; /* IXOR_LEAD_AUTO: automatic; 0: no target times at all */
    uint64_t ns;       /* automatic: the lead now */
    uint64_t most_ns;  /* automatic: the longest lead */
    uint64_t halved_ns, looked_ns;
    double counts[IXOR_LEAD_CLASSES], total;
};

/* Packets will be gap_ns apart. An automatic lead is no longer than that (but at least
 * IXOR_LEAD_MIN_NS): agents take only the newest waiting request, so a packet with a longer lead
 * would be superseded before its target time.
 */
void ixor_lead_init(struct ixor_lead *l, uint64_t fixed_ns, uint64_t gap_ns);

/* Records that a JVM was ready this long after sending began; 0 or more, counted as at most a
 * second. O(1). */
void ixor_lead_feed(struct ixor_lead *l, uint64_t delay_ns);

/* The lead of a packet sent to `vms` JVMs now (monotonic clock). Automatic: 0 for a single JVM,
 * which has no other to synchronise with. O(1), and O(classes) every 50 ms. */
uint64_t ixor_lead_now(struct ixor_lead *l, size_t vms, uint64_t now_ns);

#endif
