/* The aspects (aspects.h) of one trace log, gathered while log_counts reads it: what each thread
 * does from packet to packet. "Now" is how many packets have counted so far; a thread that has not
 * changed costs nothing. */
#ifndef ROXI_LOG_ASPECTS_H
#define ROXI_LOG_ASPECTS_H

#include "roxi/aspects.h"
#include "roxi/tally.h"

/* Live threads of a group. */
struct roxi_live {
    uint64_t now, most;
    uint64_t last, last_at; /* those that were not counted any more when so many packets had been */
};

/* All zero: nothing yet. Arrays are owned. */
struct roxi_log_aspects {
    uint64_t answered, lost;  /* packets: how many, the longest gap */
    uint64_t first, latest;   /* numbers; of none 0 */
    uint64_t counted;         /* the latest number that counts */
    bool consecutive;         /* the one that is being counted has the next number */
    struct roxi_tally states; /* roxi_pair(group, enum roxi_state) */
    struct roxi_tally stays;  /* roxi_pair(place, log2 of the length) */
    struct roxi_tally moves;  /* roxi_pair(place, place) */
    struct roxi_tally groups; /* that `live` is about */
    struct roxi_live *live;
    size_t live_cap;
};
void roxi_log_aspects_free(struct roxi_log_aspects *a);

/* What is remembered of a thread; all zero: it has just appeared. */
struct roxi_past {
    uint32_t place; /* the place in log_counts' tally (a group and a stack) where it was counted
                       last, + 1; 0: none, or the chain is broken */
    uint32_t live;  /* in `live` */
    enum roxi_state state;
    uint64_t stays_since, state_since; /* packets that had counted then */
};

/* For every packet, then for those that count, before their threads. */
void roxi_log_aspects_answer(struct roxi_log_aspects *a, uint64_t packet);
void roxi_log_aspects_count(struct roxi_log_aspects *a, uint64_t packet);

/* The thread is counted at `place` of `group` from now on; it goes on there, or it is new, or comes
 * from somewhere else. -1: memory ran out. O(1) expected, as the following. */
int roxi_past_begin(struct roxi_log_aspects *a, struct roxi_past *t, uint32_t place, uint32_t group,
                    uint32_t state_bits, uint64_t now);
/* It goes on at the same place, in another state perhaps. */
int roxi_past_change(struct roxi_log_aspects *a, struct roxi_past *t, uint32_t state_bits,
                     uint64_t now);
/* It is not counted any more, or not there; it may go on. */
int roxi_past_stop(struct roxi_log_aspects *a, struct roxi_past *t, uint64_t now);
/* What comes is not its continuation. */
int roxi_past_end(struct roxi_log_aspects *a, struct roxi_past *t, uint64_t now);

/* All as items, to be freed; `seen` is log_counts' tally. Places of roles are 0. NULL: memory ran
 * out. `counted`: packets in all. */
struct roxi_aspect_item *roxi_log_aspects_items(const struct roxi_log_aspects *a,
                                                const struct roxi_tally *seen, uint64_t counted,
                                                size_t *count);

#endif
