/* SPDX-License-Identifier: Apache-2.0 */
/* Who waits for whom at one packet. A thread waits for one thing at a time, so each node has at
 * most one that it waits for: the graph is a forest, whose roots wait for nobody, and rings
 * (deadlocks) with trees on them. */
#ifndef IX_SCHEMA_WAITS_GRAPH_H
#define IX_SCHEMA_WAITS_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WAITS_NONE SIZE_MAX

enum waits_kind {
    WAITS_THREAD,
    WAITS_JVM,     /* some thread of a JVM */
    WAITS_OUTSIDE, /* a process that is no JVM of the run */
};

struct waits_node {
    enum waits_kind kind;
    size_t jvm;        /* place in the run's list of JVMs; not of WAITS_OUTSIDE */
    const char *name;  /* of the thread; the address outside; else NULL */
    const char *group; /* of the thread; else NULL */
    uint64_t id;       /* Java's id of the thread, which may have no name */
    const char *state; /* in words */
    const char *why;   /* how it waits: "read", "monitor", "lock"; NULL: it does not */
    const char *via;   /* the class, or the connection's other end; NULL: none */
    const char *from;  /* the connection's end here; NULL: no connection */
    size_t next;       /* the node that it waits for; WAITS_NONE: nobody, or it is not known */
    size_t waiters; /* threads that wait for it, directly or not; of a ring's node: for the ring */
    size_t first, after; /* the first that waits for it, and the next one of those that wait for the
                            same as this one; WAITS_NONE: none */
    bool in_ring;
    bool perhaps; /* of WAITS_OUTSIDE: or a JVM that does not tell its connections, or not yet */
};

/* All zero: empty. */
struct waits_graph {
    struct waits_node *nodes; /* owned; the strings are not */
    size_t count, cap;
    size_t
        *ends; /* owned; nodes that others wait for and that wait for nobody: most waiters first */
    size_t end_count;
    size_t *rings; /* owned; the lowest node of each ring */
    size_t ring_count;
};

/* Adds a node that waits for nobody. Its place, or WAITS_NONE if memory ran out. */
size_t waits_graph_add(struct waits_graph *g, const struct waits_node *node);
/* After the last node, with `next` set: fills in the rest. -1: memory ran out. O(n log n). */
int waits_graph_finish(struct waits_graph *g);
/* The node after this one in the tree of those that wait for `root`, a waiter after the one that it
 * waits for, without the ring's nodes; *depth, 0 for the root, follows. WAITS_NONE: that was the
 * last. */
size_t waits_graph_walk(const struct waits_graph *g, size_t root, size_t at, size_t *depth);
void waits_graph_clear(struct waits_graph *g); /* keeps the memory of the nodes */
void waits_graph_free(struct waits_graph *g);

#endif
