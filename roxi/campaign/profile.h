/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of a run: how often each call stack was seen in each group, a group being a role
 * and a (normalised) thread name; and how its JVMs took part. All later computations depend on
 * this alone. */
#ifndef ROXI_PROFILE_H
#define ROXI_PROFILE_H

#include "roxi/campaign/history.h"
#include "roxi/campaign/participation.h"
#include "roxi/campaign/symbols.h"
#include "roxi/campaign/tally.h"
#include "roxi/campaign/use.h"
#include "schema/base/error.h"

struct roxi_item {
    uint32_t group, stack;
    uint32_t longest; /* packets in a row in which one thread was there; 0: not known */
    uint32_t packets; /* in which any thread was there, of each JVM; 0: not known */
    uint64_t count;   /* snapshots of threads, at least 1 */
};

/* How threads were in a call stack. */
struct roxi_visits {
    uint32_t longest, packets; /* as in an item */
    uint32_t now;              /* threads that are there, */
    uint64_t since;            /* and how many packets had counted when the first one came */
};

struct roxi_profile {
    char *name;
    struct roxi_item *items; /* ascending by group, then stack; each pair once */
    size_t count;
    uint64_t total;                   /* sum of the items' counts */
    struct roxi_participation *roles; /* one for each role; owned */
    size_t role_count;
    struct roxi_use use;         /* owned; ordered */
    struct roxi_history history; /* empty unless it was asked for; owned */
    bool interrupted;            /* it has no verdict, and ended only because 'ixor run' did */
    char *failure; /* with what its test failed; NULL: it did not, or is none of a test; owned */
};

/* Has it anything to compare? A test that is shorter than the time between two packets has no call
 * stacks, but its logs may tell which code it executed. */
static inline bool roxi_profile_tells(const struct roxi_profile *x)
{
    return x->total || x->use.covered_count || x->use.first_count;
}

/* A thread's name in a group that is of a node: strings. */
struct roxi_node {
    uint32_t thread; /* NODE/TEMPLATE */
    uint32_t node, template;
};

/* Where a thread is: strings. */
struct roxi_place {
    uint32_t role;
    uint32_t node; /* 0, the empty string: none */
    uint32_t template;
};

struct roxi_profiles {
    struct roxi_symbols *symbols;
    struct roxi_tally groups; /* keys: roxi_pair(role's string, thread name's string) */
    struct roxi_node *nodes;  /* owned; by thread */
    size_t node_count;
    struct roxi_tally sources; /* keys: roxi_pair(class, source file), strings; of the runs whose
                                  history is kept */
    struct roxi_profile *executions;
    size_t count, cap;
};

struct roxi_profiles *roxi_profiles_new(void);    /* NULL: out of memory */
void roxi_profiles_free(struct roxi_profiles *p); /* p may be NULL */

/* The number of a group, assigned on first use; ROXI_NONE: out of memory. */
uint32_t roxi_profiles_group(struct roxi_profiles *p, uint32_t role, uint32_t thread);

/* The node and the template of a group's threads. Each node has groups of its own, whose thread
 * name is NODE/TEMPLATE, so that who does not ask for nodes sees places with different names; the
 * groups of two nodes that have the same role and template are the same place of each, as the
 * groups of two roles that have the same template are. O(log nodes' groups). */
struct roxi_place roxi_profiles_place(const struct roxi_profiles *p, uint32_t group);
/* Orders so many of the runs by their names: what is chosen among runs shall not depend on the
 * order in which they are listed. O(n log n). */
void roxi_profiles_order(const struct roxi_profiles *p, size_t *runs, size_t count);
/* How much of the runs' names is the same, up to a dot: a test's package and class. The rest of a
 * name is a name for commands, too (listing.h). O(runs). */
size_t roxi_profiles_shared_name(const struct roxi_profiles *p);
/* Adds to the nodes; an entry may be there already. -1: out of memory. */
int roxi_profiles_nodes(struct roxi_profiles *p, const struct roxi_node *nodes, size_t count);

/* The name of the file that a class was compiled from; NULL: not known. O(sources). */
const char *roxi_profiles_source(const struct roxi_profiles *p, uint32_t class_name);

void roxi_profile_release(struct roxi_profile *profile);

/* Makes *profile, which is uninitialised, from items in any order, with repeated pairs allowed.
 * Takes ownership of `items`, even if it fails. -1: out of memory, and *profile is all zero. */
int roxi_profile_make(struct roxi_profile *profile, const char *name, struct roxi_item *items,
                      size_t count);
/* The tally, whose keys are roxi_pair(group, stack), as items, which the caller frees. `visits`,
 * by number in the tally, may be NULL: not known. NULL: out of memory. */
struct roxi_item *roxi_profile_items(const struct roxi_tally *seen,
                                     const struct roxi_visits *visits);

/* Appends a run; the tally's keys are roxi_pair(group, stack). The caller keeps the tally. -1:
 * out of memory. */
int roxi_profiles_add(struct roxi_profiles *p, const char *name, const struct roxi_tally *seen,
                      struct ix_error *err);

#endif
