/* SPDX-License-Identifier: Apache-2.0 */
/* What a run shows besides how often each of its call stacks was seen: how long it was, how its
 * JVMs ended, and what its threads did from packet to packet. All of these are counts, each at a
 * place: a role, or a group (role and thread). Like the counts of call stacks they are sums over
 * the JVMs of a role, over packets that count (load.h). */
#ifndef ROXI_FEATURES_H
#define ROXI_FEATURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/base/error.h"

/* The comments give the meaning of an item's keys a and b; b is 0 where it is not mentioned. */
enum roxi_feature {
    ROXI_STACKS,  /* the profile's items; no struct roxi_feature_item has this feature */
    ROXI_PACKETS, /* of a role; a: enum roxi_packet_key */
    ROXI_ENDS,    /* of a role: how many JVMs ended this way; a: enum roxi_vm_end */
    ROXI_EARLY, /* of a role: packets between a JVM's last one and the last that any JVM of the run
                   answered; for a JVM that answered none and was not too short, from the first to
                   the last of all */
    ROXI_THREADS, /* of a group: how many live threads; a: enum roxi_thread_key */
    ROXI_STATES,  /* of a group: snapshots of threads; a: enum roxi_state */
    ROXI_STAYS, /* of a group: how often a thread came to a call stack and stayed; a: the stack, b:
                   floor of log2 of the number of packets */
    ROXI_MOVES, /* of a group: how often a thread moved to another call stack from one packet to the
                   packet with the next number; a, b: the stacks. A packet that is lost or does not
                   count breaks the chain. */
    ROXI_FEATURES, /* number of features */
};

enum roxi_packet_key {
    ROXI_ANSWERED, /* packets, including those that do not count */
    ROXI_LOST,     /* the longest sequence of unanswered packets between two answered ones */
    ROXI_COUNTED,  /* packets that count: the denominator for states, stays and moves */
};

enum roxi_vm_end {
    ROXI_ORDERLY, /* the catalogue's `ended` (catalogue.sql), in this order, */
    ROXI_VANISHED,
    ROXI_SILENT,
    ROXI_LOG_FAILED,
    ROXI_SERVER_STOPPED,
    ROXI_RUNNING,
    ROXI_IMPORTED,
    ROXI_TORN,       /* and also: its log is torn, */
    ROXI_UNREADABLE, /* or cannot be opened */
    ROXI_TOO_SHORT, /* instead of all the above: it ended before it answered any packet. Whether its
                       goodbye arrived is chance, so this matches any end in another run. */
};

enum roxi_thread_key {
    ROXI_MOST, /* the most at one packet */
    ROXI_LAST, /* at the JVM's last packet that counts */
};

enum roxi_state {
    ROXI_STATE_RUNNABLE,
    ROXI_STATE_NATIVE,  /* the same, in native code */
    ROXI_STATE_BLOCKED, /* waiting to enter a monitor */
    ROXI_STATE_WAITING, /* waiting for a notify without a time limit, */
    ROXI_STATE_TIMED,   /* with a time limit */
    ROXI_STATE_PARKED,  /* likewise, parked */
    ROXI_STATE_PARKED_TIMED,
    ROXI_STATE_SLEEPING,
    ROXI_STATE_OTHER,
};

struct roxi_feature_item {
    enum roxi_feature feature;
    uint32_t place; /* a string if the feature is of a role, else a group */
    uint32_t a, b;
    uint64_t count; /* at least 1 */
};

/* The name used in --features; a constant. */
const char *roxi_feature_name(enum roxi_feature feature);
/* Parses such names, separated by commas, into bits 1 << enum roxi_feature. -1 with a message. */
int roxi_features_parse(const char *list, unsigned *features, struct ix_error *err);
/* True if the feature is of a role, false if of a group. */
bool roxi_feature_of_role(enum roxi_feature feature);
/* From the catalogue's word; ROXI_RUNNING if it is unknown. */
enum roxi_vm_end roxi_vm_end_of(const char *ended);
/* As a phrase such as "vanished"; a constant. */
const char *roxi_vm_end_words(enum roxi_vm_end end);
const char *roxi_state_words(enum roxi_state state);
/* From JVMTI's bits. */
enum roxi_state roxi_state_of(uint32_t bits);

/* Sorts items by feature, place, a and b, and adds up those that agree in all four; returns how
 * many remain. O(n log n). */
size_t roxi_features_merge(struct roxi_feature_item *items, size_t count);

/* The most packets that the JVMs of any one role answered: how long the run was. O(count). */
uint64_t roxi_features_length(const struct roxi_feature_item *items, size_t count);
/* For merged items: packets of the role that count, 0 if it does not occur. O(roles). */
uint64_t roxi_features_packets(const struct roxi_feature_item *items, size_t count, uint32_t role);
/* For merged items: true if all JVMs of the role were too short, so that nothing is known about
 * what they do. O(roles). */
bool roxi_features_unknown(const struct roxi_feature_item *items, size_t count, uint32_t role);

#endif
