/* SPDX-License-Identifier: Apache-2.0 */
/* What the threads of a run did, packet after packet: kept for runs that are to be explained
 * (load_options.h). The profile of a run (profile.h) is the sum of it. */
#ifndef ROXI_HISTORY_H
#define ROXI_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A thread that stayed in one call stack. */
struct roxi_span {
    uint32_t group, stack;
    uint32_t jvm;         /* of the run, 0-based */
    uint32_t thread;      /* of the JVM; numbers can be used again by later threads */
    uint64_t first, last; /* packets */
    uint64_t packets;     /* that count, from the first to the last: 1 or more */
    uint64_t blocked;     /* of them those in which it waited to enter a monitor */
};

/* When a JVM answered a packet. */
struct roxi_moment {
    uint64_t packet;
    int64_t real_ns; /* wall clock, since 1970 */
};

/* How often a thread ran since it was last told (schema/tracelog/tracelog.h). */
struct roxi_turned {
    uint32_t group;
    uint64_t packet; /* before which it is told */
    uint64_t turns;
};

/* How often a method was called in a JVM of a role since it was last told (use.h). */
struct roxi_told {
    uint32_t role, stack;
    uint64_t packet; /* before which it is told */
    uint64_t count;
};

/* What a JVM's process had used by a packet (use.h), where logs have records of that. */
struct roxi_used {
    uint32_t role, jvm; /* jvm: of the run, 0-based */
    uint64_t packet;
    uint64_t megabytes, files;
    uint64_t collecting_ns; /* since its first record */
    int64_t ns;             /* since then */
};

/* What the JVMs of a role sent to those of another one (use.h, struct roxi_talk). */
struct roxi_sent {
    uint32_t role, peer;
    bool accepted;
    uint64_t packet; /* before which it is told */
    uint64_t sent, connections;
};

/* A time in which the JVMs of a role had sent something to those of another one over a connection
 * that they had opened, and nothing came back. */
struct roxi_silence {
    uint32_t role, peer;
    uint64_t packet;  /* the first one */
    uint32_t packets; /* ROXI_SILENCE or more */
};
enum { ROXI_SILENCE = 3 }; /* shorter ones are not kept */

/* All zero: empty. Owned. */
struct roxi_history {
    struct roxi_span *spans; /* JVM after JVM, in the order in which they ended */
    size_t count, cap;
    struct roxi_moment *moments; /* after roxi_history_order: ascending by packet, each once */
    size_t moment_count, moment_cap;
    struct roxi_turned *turned; /* after roxi_history_order: ascending by packet */
    size_t turned_count, turned_cap;
    struct roxi_told *told; /* likewise */
    size_t told_count, told_cap;
    struct roxi_used *used; /* JVM after JVM, ascending by packet */
    size_t used_count, used_cap;
    struct roxi_sent *sent; /* after roxi_history_order: ascending by packet */
    size_t sent_count, sent_cap;
    struct roxi_silence *silences; /* likewise */
    size_t silence_count, silence_cap;
    int64_t begin_ns; /* when the run began, on the same clock; 0: not known */
};
void roxi_history_free(struct roxi_history *h);

/* -1: memory ran out. O(1) amortised. */
int roxi_history_add_span(struct roxi_history *h, struct roxi_span span);
int roxi_history_add_moment(struct roxi_history *h, struct roxi_moment moment);
int roxi_history_add_turned(struct roxi_history *h, struct roxi_turned turned);
int roxi_history_add_told(struct roxi_history *h, struct roxi_told told);
int roxi_history_add_used(struct roxi_history *h, struct roxi_used used);
int roxi_history_add_silence(struct roxi_history *h, struct roxi_silence silence);
int roxi_history_add_sent(struct roxi_history *h, struct roxi_sent sent);

/* Of several moments of a packet the earliest stays. O(n log n). */
void roxi_history_order(struct roxi_history *h);

/* The run's first packet; 0: there is none. How many there are from it to the last one, at least 1.
 * Only after roxi_history_order. */
static inline uint64_t roxi_history_first(const struct roxi_history *h)
{
    return h->moment_count ? h->moments[0].packet : 0;
}
static inline uint64_t roxi_history_length(const struct roxi_history *h)
{
    return h->moment_count ? h->moments[h->moment_count - 1].packet - h->moments[0].packet + 1 : 1;
}

/* How many packets of the run come before this one. Only after roxi_history_order. O(log n). */
size_t roxi_history_before(const struct roxi_history *h, uint64_t packet);

/* The time of the last packet up to `packet` since the run began, in nanoseconds; since its first
 * packet, if its begin is not known, or its JVMs had another clock; 0 without packets. Only after
 * roxi_history_order. O(log n). */
int64_t roxi_history_since(const struct roxi_history *h, uint64_t packet);

#endif
