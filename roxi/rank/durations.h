/* SPDX-License-Identifier: Apache-2.0 */
/* What the ranking compares: durations, in packets. For how long was each call of the application
 * on a stack in each role, and for how long did the role's JVMs take part?
 *
 * A call is a method of the application and what it had called at that moment, or nothing: of a
 * call stack of depth d that is at most d calls, each counted once however often it recurs. A
 * duration of a call is the sum over all packets and all threads of the role, so threads count by
 * what they do, not by what they are called. Methods of the Java platform call, and are called, but
 * have no durations of their own: nobody looks there for the reason. */
#ifndef ROXI_DURATIONS_H
#define ROXI_DURATIONS_H

#include "roxi/campaign/profile.h"

enum roxi_duration_kind {
    ROXI_IN_CALL,  /* packets x threads in a call */
    ROXI_TOOK_PART, /* packets answered by the role's JVMs */
    ROXI_GAP,      /* the longest series of packets that a JVM lost */
    ROXI_EARLY_BY, /* packets that others answered after a JVM's last one */
    ROXI_DURATION_KINDS,
};

/* A method of the application by its class and name, and what it called. */
struct roxi_call {
    uint32_t class_name, method; /* strings */
    uint32_t called_class, called; /* strings; ROXI_NONE: nothing */
};

/* Where durations are looked at together: of a role, all calls of a class, with its nested and
 * generated ones; or how long its JVMs took part, each kind for itself. */
struct roxi_place {
    uint32_t role;       /* a string of the profiles' dictionary */
    uint32_t class_name; /* in `classes`; ROXI_NONE: of the role's JVMs */
    enum roxi_duration_kind kind;
};

/* What has a duration: an item of a place. */
struct roxi_timed {
    uint32_t place;
    struct roxi_call call; /* if its kind is ROXI_IN_CALL */
};

struct roxi_duration {
    uint32_t item;
    uint32_t packets; /* at least 1; UINT32_MAX: that or more */
};

struct roxi_durations {
    const struct roxi_profiles *profiles; /* must outlive this */
    struct roxi_duration *all;            /* run after run, each ascending by item; owned */
    size_t *first;                        /* by run, and one more: where its durations begin */
    /* The rest is for looking things up. Keys of what: a call's number + ROXI_DURATION_KINDS, or
     * else a kind; a tally's counts are not used. */
    struct roxi_tally methods; /* roxi_pair(class, method) */
    struct roxi_tally calls;   /* roxi_pair(method's number, called one's + 1, 0: nothing) */
    struct roxi_tally items;   /* roxi_pair(role, what) */
    struct roxi_tally places;  /* roxi_pair(role, class's number in `classes` + kinds, or kind) */
    uint32_t *place_of;        /* by item; owned */
    struct roxi_symbols *classes; /* top-level classes; owned */
};

/* The profiles must have been loaded with their features. NULL: memory ran out, or the user
 * interrupted. O(sum of depths of all stacks, and durations), memory O(durations). */
struct roxi_durations *roxi_durations_new(const struct roxi_profiles *p);
void roxi_durations_free(struct roxi_durations *d); /* d may be NULL */

struct roxi_place roxi_durations_place(const struct roxi_durations *d, uint32_t place);
struct roxi_timed roxi_durations_item(const struct roxi_durations *d, uint32_t item);
/* The number of the item that is to `role` what `item` is to its own role; ROXI_NONE: in no run has
 * that role such a duration. */
uint32_t roxi_durations_counterpart(const struct roxi_durations *d, uint32_t item, uint32_t role);

static inline uint32_t roxi_durations_role(const struct roxi_durations *d, uint32_t item)
{
    return (uint32_t)(roxi_tally_key(&d->items, item) >> 32);
}

#endif
