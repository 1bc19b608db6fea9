/* SPDX-License-Identifier: Apache-2.0 */
/* Which JVMs have connections to which at one packet, and how many threads wait on them: the live
 * counterpart of roxi/waits/communication.h, which tells it of whole runs. */
#ifndef IXOR_TALKS_H
#define IXOR_TALKS_H

#include "schema/waits/build.h"

/* A JVM, or an address that no JVM of the run has. */
struct ixor_party {
    size_t jvm;          /* place in the list of JVMs; WAITS_NONE: outside */
    const char *address; /* of one outside; the log's */
    size_t length;       /* of the address; a client's is without its port */
    bool perhaps;        /* of one outside: or a JVM of the run that does not tell its connections,
                            or not yet */
};

/* From the party that has connected to the one that has accepted. A write that waits for its client
 * makes one in the other direction, without connections. */
struct ixor_talk {
    struct ixor_party from, to;
    size_t connections; /* open now */
    size_t waiting;     /* threads of `from` that wait for `to` */
};

/* All zero: empty. */
struct ixor_talks {
    struct ixor_talk *list; /* owned; most threads that wait first, then most connections */
    size_t count, cap;
    size_t unknown; /* connections whose other end may be one of several */
};

/* From the graph of a packet, which has to outlive *t. -1: out of memory; free *t in any case.
 * O(s log s) for s sockets, and O(s x sockets that listen) for those that lead outside. */
int ixor_talks_make(struct ixor_talks *t, const struct waits_build *b);
void ixor_talks_free(struct ixor_talks *t);

#endif
