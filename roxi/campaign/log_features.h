/* SPDX-License-Identifier: Apache-2.0 */
/* The features (features.h) of one trace log, gathered while log_counts reads it: what each
 * thread does from packet to packet. "Now" is the number of packets that have counted so far; a
 * thread that has not changed costs nothing. */
#ifndef ROXI_LOG_FEATURES_H
#define ROXI_LOG_FEATURES_H

#include "roxi/campaign/features.h"
#include "roxi/campaign/tally.h"

/* Live threads of a group. */
struct roxi_live {
    uint64_t now, most;
    uint64_t last, last_at; /* threads whose counting ended when this many packets had counted */
};

/* All zero: empty. Arrays are owned. */
struct roxi_log_features {
    uint64_t answered, lost;  /* number of packets, the longest gap */
    uint64_t first, latest;   /* packet numbers; 0 if there are none */
    uint64_t counted;         /* number of the latest packet that counts */
    bool consecutive;         /* the packet being counted has the next number */
    struct roxi_tally states; /* roxi_pair(group, enum roxi_state) */
    struct roxi_tally stays;  /* roxi_pair(place, log2 of the length) */
    struct roxi_tally moves;  /* roxi_pair(place, place) */
    struct roxi_tally groups; /* numbers of the groups, as used in `live` */
    struct roxi_live *live;
    size_t live_cap;
};
void roxi_log_features_free(struct roxi_log_features *a);

/* What is remembered of a thread; all zero: it has just appeared. */
struct roxi_past {
    uint32_t place; /* where in log_counts' tally (a group and a stack) it was counted last, + 1; 0:
                       nowhere, or the chain is broken */
    uint32_t live;  /* index in `live` */
    enum roxi_state state;
    uint64_t stays_since, state_since; /* packets that had counted at that time */
};

/* Call for every packet, and then, if it counts, before its threads. */
void roxi_log_features_answer(struct roxi_log_features *a, uint64_t packet);
void roxi_log_features_count(struct roxi_log_features *a, uint64_t packet);

/* From now on the thread is counted at `place` of `group`: it moved there, is new, or was not
 * counted before. -1: out of memory. O(1) expected, as are the following. */
int roxi_past_begin(struct roxi_log_features *a, struct roxi_past *t, uint32_t place,
                    uint32_t group, uint32_t state_bits, uint64_t now);
/* It stays at the same place, perhaps in another state. */
int roxi_past_change(struct roxi_log_features *a, struct roxi_past *t, uint32_t state_bits,
                     uint64_t now);
/* It is no longer counted or listed, but may continue later. */
int roxi_past_stop(struct roxi_log_features *a, struct roxi_past *t, uint64_t now);
/* It has ended: whatever follows is not its continuation. */
int roxi_past_end(struct roxi_log_features *a, struct roxi_past *t, uint64_t now);

/* All as items, which the caller frees; `seen` is log_counts' tally. Places of roles are 0.
 * `counted`: total packets that count. NULL: out of memory. */
struct roxi_feature_item *roxi_log_features_items(const struct roxi_log_features *a,
                                                  const struct roxi_tally *seen, uint64_t counted,
                                                  size_t *count);

#endif
