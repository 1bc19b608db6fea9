/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the graph of who waits for whom at a packet, from the snapshots and facts of all JVMs.
 *
 * A thread waits for the owner of the monitor that it enters or of the lock that it is parked on,
 * for the thread that it joins, and, if it reads from a connection that its JVM has made, or writes
 * to one, for the thread that serves the connection's other end. A thread that reads from a
 * connection that another JVM has made waits for the next request: this is normal, and not in the
 * graph.
 *
 * The thread that serves a connection is, in this order:
 *   - the one that waits on it at this packet, or was last seen on it;
 *   - the one last seen to accept connections on its port, unless it does so again, if that port
 * has no other connection;
 *   - the only thread of its JVM that it can be (see only_candidate in build.c).
 * Otherwise it is not known, and the graph has a node for the JVM. */
#ifndef IX_SCHEMA_WAITS_BUILD_H
#define IX_SCHEMA_WAITS_BUILD_H

#include "schema/waits/ends.h"
#include "schema/waits/graph.h"

/* All zero: nothing built yet. */
struct waits_build {
    const struct waits_jvms *jvms;
    struct waits_graph graph; /* the result; its strings are the logs' */
    struct waits_ends ends;
    struct waits_thread *threads; /* owned; of the first nodes, which are the threads */
    size_t thread_count, thread_cap;
    size_t *first; /* owned; by JVM: the node of its first thread; WAITS_NONE: not at this packet */
};

/* The graph of the packet that the JVMs are at. -1: out of memory. The result is valid until the
 * JVMs' next packet. */
int waits_build(struct waits_build *b, const struct waits_jvms *jvms);
void waits_build_free(struct waits_build *b);

/* Are the threads of a group the JDK's own? */
bool waits_group_of_jdk(const char *group);

#endif
