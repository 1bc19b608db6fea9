/* SPDX-License-Identifier: Apache-2.0 */
/* How durations are made: roxi_durations_new (durations.h), and what it shares with
 * durations_jvms.c. */
#ifndef ROXI_DURATIONS_BUILDING_H
#define ROXI_DURATIONS_BUILDING_H

#include "roxi/rank/durations.h"
#include "roxi/rank/lengths.h"
#include "roxi/rank/rare.h"

/* In `calls`, in place of a method's number: threads outside of calls, and turns of threads. */
#define ROXI_OF_OUTSIDE ROXI_NONE
#define ROXI_OF_TURNS (ROXI_NONE - 1)

/* The calls of a stack: where they are in the list. */
struct roxi_stack_calls {
    uint32_t from, count;
    bool known;
};

struct roxi_building {
    struct roxi_durations *d;
    const struct roxi_symbols *symbols;
    struct roxi_lengths lengths;
    struct roxi_rare rare;
    struct roxi_stack_calls *calls_of; /* by stack; this and the following are owned */
    uint32_t *method_of;               /* by frame: number + 1, 0: not known yet */
    uint32_t *frames;                  /* of one stack */
    uint32_t *list;                    /* of calls, stack after stack */
    size_t listed, list_cap;
    uint32_t *met; /* by call: the last stack that it was listed for, + 1 */
    size_t met_cap;
    uint32_t *stay_in; /* by call: the number of its class's stays + 1; 0: not known yet */
    size_t stay_in_cap;
    uint64_t *sum;     /* by item, of the run being read; of a stay the longest one; */
    uint64_t *within;  /* and of a call in how many packets, at most; 0: not known */
    uint32_t *touched; /* its items */
    size_t touched_count, sum_cap, within_cap, touched_cap, locus_cap, all, all_cap;
};

/* Adds so many packets to the item of a member that is about `what` (durations.h), in the run that
 * is being read; a stay is the longest one. -1: memory ran out. O(1) amortised. */
int roxi_building_add(struct roxi_building *b, uint32_t member, uint32_t what, uint64_t packets);
/* Likewise, about a key of a tally of the durations': its number + `base`. */
int roxi_building_add_key(struct roxi_building *b, uint32_t member, struct roxi_tally *keys,
                          uint64_t key, uint32_t base, uint64_t packets);
/* The number of a member. ROXI_NONE: memory ran out. */
uint32_t roxi_building_member(struct roxi_building *b, uint32_t role, uint32_t node);
/* Adds what is known of a run's JVMs. -1: memory ran out. */
int roxi_building_add_jvms(struct roxi_building *b, const struct roxi_profile *x);

/* A number of a kind, in packets: rounded up. */
static inline uint64_t roxi_building_packets(enum roxi_duration_kind kind, uint64_t number)
{
    const uint32_t of_packet = roxi_traits[kind].of_packet;
    return number / of_packet + (number % of_packet != 0);
}

#endif
