/* SPDX-License-Identifier: Apache-2.0 */
/* All connections that the JVMs of a run had, and for how long threads waited on each. Unlike
 * waits_jvms at one packet, this also knows what the agents found out later: an end that is logged
 * at packet 9 and has been open since packet 2. */
#ifndef ROXI_WAITS_CONNECTIONS_H
#define ROXI_WAITS_CONNECTIONS_H

#include "roxi/campaign/listing.h"
#include "roxi/campaign/symbols.h"
#include "roxi/waits/run.h"
#include "schema/base/idmap.h"
#include "schema/waits/ends.h"

/* One JVM's end of a connection, or a socket that listens. */
struct waits_connection {
    size_t jvm, socket;         /* places in jvms.list and in its sockets */
    const char *local, *remote; /* the dictionary's */
    bool listens;
    bool accepted;     /* the other side has connected */
    bool open;         /* it has been seen open; false: only the attempt to connect */
    uint64_t messages; /* segments with data, both ways, as far as they are recorded */
    size_t span[2]; /* the last span of threads that wait otherwise, and that read; WAITS_NO_SPAN */
    struct waits_end end; /* the other end, if found is not WAITS_FOUND_OUTSIDE or _SEVERAL */
    enum waits_found found;
};

#define WAITS_NO_SPAN SIZE_MAX

/* A thread that waited on a connection at several packets in a row. */
struct waits_span {
    size_t connection;
    size_t first, last; /* places in the list of packets */
    bool reads;         /* in a read; else in a write or a connect */
};

struct waits_connections {
    struct waits_jvms jvms;        /* after the last packet: each with all its sockets of the run */
    struct waits_connection *list; /* owned, as is all below */
    size_t count, cap;
    struct waits_span *spans; /* by their first packet */
    size_t span_count, span_cap;
    uint64_t *packets; /* their numbers, ascending */
    size_t packet_count, packet_cap;
    size_t telling; /* JVMs whose connections are known */
    struct roxi_symbols *addresses;
    struct ix_idmap *known; /* by JVM: from a pair of addresses to the place in the list, plus 1 */
};

/* Reads the logs of a run; `quiet`: as for waits_jvms_open. -1 on failure; free it in any case. The
 * execution must outlive it. O(n log n) in what the logs hold. */
int waits_connections_read(struct waits_connections *c,
                           const struct roxi_listed_execution *execution, bool quiet,
                           struct ix_error *err);
void waits_connections_free(struct waits_connections *c);

#endif
