/* SPDX-License-Identifier: Apache-2.0 */
/* What the ranking compares: durations, in packets. How long was each call of the application on a
 * stack in each role or node, and how long did a role's JVMs take part?
 *
 * A call is a method of the application and what it had called at that moment, or nothing: of a
 * call stack of depth d that is at most d calls, each counted once however often it recurs. A
 * duration of a call is the sum over all packets and all its threads, of which no more count than
 * it was there in packets, so threads count by what they do, not by what they are called. Methods
 * of the Java platform call, and are called, but have no durations of their own, because the reason
 * is not there. Threads that are in no call of the application, such as those that wait for work in
 * a pool, count by their template.
 *
 * A sum over a pool's threads hides that one of them is stuck. So the longest stay counts, too: for
 * how many packets in a row one thread was on the same call stack with a class of the application
 * on it; and outside of the application, on each call stack by template.
 *
 * Where logs tell how often threads ran, that counts, too, by template: a thread that sleeps at
 * nearly all packets may do much between them.
 *
 * Where logs tell what went over connections, the messages count, too, and how long a JVM left
 * another one without an answer, or did not read what had arrived.
 *
 * Where logs have the first exception of each class, which classes there were is looked at, too. */
#ifndef ROXI_DURATIONS_H
#define ROXI_DURATIONS_H

#include <stdbool.h>

#include "roxi/base/capped.h"
#include "roxi/campaign/profile.h"
#include "roxi/rank/kinds.h"

/* Who does something: a role, or a node of it (glossary.md); strings of the profiles'. */
struct roxi_member {
    uint32_t role;
    uint32_t node; /* 0, the empty string: none */
};

/* A method of the application by its class and name, and what it called. */
struct roxi_call {
    uint32_t class_name, method;   /* strings */
    uint32_t called_class, called; /* strings; ROXI_NONE: nothing */
};
extern const struct roxi_call roxi_no_call; /* all ROXI_NONE */

static inline struct roxi_member roxi_member_at(struct roxi_place place)
{
    return (struct roxi_member){place.role, place.node};
}

static inline bool roxi_same_member(struct roxi_member a, struct roxi_member b)
{
    return a.role == b.role && a.node == b.node;
}

static inline bool roxi_same_call(const struct roxi_call *a, const struct roxi_call *b)
{
    return a->class_name == b->class_name && a->method == b->method &&
           a->called_class == b->called_class && a->called == b->called;
}

/* Durations of a member that are looked at together: those of all calls of a class, including its
 * nested and generated classes; those of all threads outside of calls; or how long its JVMs took
 * part, each kind for itself. All exceptions are looked at together, and are of the member without
 * a name. */
struct roxi_locus {
    uint32_t member;     /* a number */
    uint32_t class_name; /* in `classes`; ROXI_NONE: not of calls */
    enum roxi_duration_kind kind;
};

/* What a longest stay is of. */
struct roxi_stay {
    uint32_t class_name;      /* in `classes`; ROXI_NONE: outside of calls, */
    uint32_t template, stack; /* and then these are a string and a call stack */
};
/* Of what an item is about (below): a stay's number + this, */
#define ROXI_STAYS UINT32_C(0x80000000)
/* ... or an exception's class, a string, + this. */
#define ROXI_CLASSES UINT32_C(0x40000000)

struct roxi_duration {
    uint32_t item;
    uint32_t packets; /* 0: not known; UINT32_MAX: that or more */
};

struct roxi_durations {
    const struct roxi_profiles *profiles; /* must outlive this */
    struct roxi_duration *all;            /* run after run, each ascending by item; owned */
    size_t *first;                        /* by run, and one more: where its durations begin */
    /* The rest is for looking things up; the tallies' counts are not used. What an item is about: a
     * call's number + ROXI_DURATION_KINDS, a stay's + ROXI_STAYS, the class of an exception +
     * ROXI_CLASSES, or else a kind. */
    struct roxi_tally members; /* roxi_pair(role, node) */
    struct roxi_tally methods; /* roxi_pair(class, method) */
    struct roxi_tally calls;   /* roxi_pair(method's number, called one's + 1, 0: nothing);
                                  roxi_pair(ROXI_NONE, template): threads outside of calls;
                                  roxi_pair(ROXI_NONE - 1, template): turns of threads */
    struct roxi_tally stays;   /* roxi_pair(ROXI_NONE, class's number in `classes`);
                                  roxi_pair(template, stack): outside of calls */
    struct roxi_tally items;   /* roxi_pair(member, what) */
    struct roxi_tally loci;    /* roxi_pair(member, class's number in `classes` + kinds, or kind) */
    uint32_t *locus_of;        /* by item; owned */
    struct roxi_symbols *classes; /* top-level classes; owned */
    /* The classes that a member is in, in any run: numbers in `classes`, member after member, each
     * ascending; and by member, and one more, where its begin. Both owned. */
    uint32_t *classes_of;
    size_t *first_class;
};

/* Is nothing but the platform on the call stack? O(its depth). */
bool roxi_is_outside(const struct roxi_symbols *s, uint32_t stack);
/* The length of the name of the top-level class in which a class is nested, or for which it was
 * generated: up to a '$' that is not the first character of its simple name. */
size_t roxi_top_level(const char *class_name);
/* Are both the same top-level class, or nested in it? */
bool roxi_same_top_level(const char *a, const char *b);

/* NULL: memory ran out, or the user interrupted. O(sum of depths of all stacks, and durations),
 * memory O(durations). */
struct roxi_durations *roxi_durations_new(const struct roxi_profiles *p);
void roxi_durations_free(struct roxi_durations *d); /* d may be NULL */

/* By number in `calls`, of those that are of a method; and by number in `stays`. */
struct roxi_call roxi_call_at(const struct roxi_durations *d, uint32_t call);
struct roxi_stay roxi_stay_at(const struct roxi_durations *d, uint32_t stay);

struct roxi_member roxi_durations_member(const struct roxi_durations *d, uint32_t member);
struct roxi_locus roxi_durations_locus(const struct roxi_durations *d, uint32_t locus);
/* Of an item whose locus' kind is ROXI_IN_CALL, and that is no stay. */
struct roxi_call roxi_durations_call(const struct roxi_durations *d, uint32_t item);
/* Of an item whose locus' kind is ROXI_OUTSIDE or ROXI_TURNS: a string. */
uint32_t roxi_durations_template(const struct roxi_durations *d, uint32_t item);
/* Of an item whose locus' kind is ROXI_FIRSTS: the class, a string. */
uint32_t roxi_durations_class(const struct roxi_durations *d, uint32_t item);
/* Of an item that is a stay. */
struct roxi_stay roxi_durations_stay(const struct roxi_durations *d, uint32_t item);
/* The number of the item that is the same for `member` as `item` is for its own member; ROXI_NONE:
 * `member` has no such duration in any run. */
uint32_t roxi_durations_counterpart(const struct roxi_durations *d, uint32_t item, uint32_t member);

/* Those of a run, ascending by item. */
static inline const struct roxi_duration *roxi_durations_run(const struct roxi_durations *d,
                                                             size_t run, size_t *count)
{
    *count = d->first[run + 1] - d->first[run];
    return d->all + d->first[run];
}
/* The packets of an item in such a list; 0: it is not there. O(log count). */
uint32_t roxi_durations_packets(const struct roxi_duration *list, size_t count, uint32_t item);
static inline uint32_t roxi_durations_of(const struct roxi_durations *d, uint32_t item)
{
    return (uint32_t)(roxi_tally_key(&d->items, item) >> 32);
}

static inline bool roxi_durations_is_first(const struct roxi_durations *d, uint32_t item)
{
    return ((uint32_t)roxi_tally_key(&d->items, item) & (ROXI_STAYS | ROXI_CLASSES)) ==
           ROXI_CLASSES;
}

static inline bool roxi_durations_is_stay(const struct roxi_durations *d, uint32_t item)
{
    return ((uint32_t)roxi_tally_key(&d->items, item) & ROXI_STAYS) != 0;
}

#endif
