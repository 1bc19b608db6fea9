/* SPDX-License-Identifier: Apache-2.0 */
/* What other threads do, in all JVMs, at the packets at which a thread waits in a certain context:
 * a role or node, and the application's methods on its call stack, whatever their lines. All JVMs
 * answer a packet at one instant, so a method that is seen then, and hardly ever else, is likely to
 * be what the thread waits for. */
#ifndef ROXI_MEANWHILE_H
#define ROXI_MEANWHILE_H

#include "roxi/rank/durations.h"

struct roxi_context {
    const struct roxi_profiles *profiles;
    struct roxi_member who; /* as the runs that are looked at call it */
    uint32_t stack;
    signed char *same; /* by call stack: has it the same methods? 0: not known yet; owned */
};
/* Is there a method of the application on the call stack, other than generated ones? Only then is
 * it a context. O(depth). */
bool roxi_context_is_one(const struct roxi_profiles *p, uint32_t stack);
/* -1: memory ran out. */
int roxi_context_open(struct roxi_context *c, const struct roxi_profiles *p, struct roxi_member who,
                      uint32_t stack);
void roxi_context_close(struct roxi_context *c);

/* A method of the application, and who is in it. */
struct roxi_activity {
    struct roxi_member who;
    uint32_t class_name, method; /* strings */
};

/* All of a set of runs; all zero: of none. Owned. */
struct roxi_meanwhile {
    struct roxi_tally members; /* keys: roxi_pair(role, node) */
    struct roxi_tally methods; /* keys: roxi_pair(class, method) */
    struct roxi_tally stacks;  /* keys: roxi_pair(member's number, stack): packets x threads at
                                  the packets at which somebody waits */
    struct roxi_tally stacks_always; /* and at all packets */
    struct roxi_tally during;        /* keys: roxi_pair(member's number, method's): the same of */
    struct roxi_tally always;        /* methods, after roxi_meanwhile_sum */
    uint64_t waits, packets;         /* how many packets there are of each */
};
/* Adds a run whose history was kept. -1: memory ran out. O(spans x log packets). */
int roxi_meanwhile_add(struct roxi_meanwhile *m, struct roxi_context *c,
                       const struct roxi_profile *run);
/* When all runs have been added. -1: memory ran out. O(stacks x depth). */
int roxi_meanwhile_sum(struct roxi_meanwhile *m, const struct roxi_profiles *p);
void roxi_meanwhile_free(struct roxi_meanwhile *m);

struct roxi_activity roxi_meanwhile_activity(const struct roxi_meanwhile *m, size_t number);
/* The call stack of an activity on which most of its packets are spent while somebody waits; 0:
 * there is none. O(stacks x depth). */
uint32_t roxi_meanwhile_stack(const struct roxi_meanwhile *m, const struct roxi_profiles *p,
                              const struct roxi_activity *a);
/* The depth of its method, as the innermost one, on a call stack, from the entry; 0: it is not
 * there. O(depth). */
uint32_t roxi_activity_depth(const struct roxi_profiles *p, const struct roxi_activity *a,
                             uint32_t stack);

/* How often a single run, from packet `from` on, shows an activity while somebody waits. */
struct roxi_seen {
    uint64_t waits;  /* packets at which somebody waits */
    uint64_t during; /* packets x threads of the activity at those */
    uint32_t thread; /* a template of the activity's threads; ROXI_NONE: they are not seen then */
};
/* -1: memory ran out. As roxi_meanwhile_add. */
int roxi_meanwhile_see(struct roxi_seen *seen, struct roxi_context *c,
                       const struct roxi_profile *run, uint64_t from,
                       const struct roxi_activity *a);

#endif
