/* SPDX-License-Identifier: Apache-2.0 */
/* What went over the TCP connections of a run: collected log by log, then joined at both ends, so
 * that it is known which role sent how much to which other one, and which one left another without
 * an answer. */
#ifndef ROXI_TRAFFIC_H
#define ROXI_TRAFFIC_H

#include "roxi/campaign/history.h"
#include "roxi/campaign/use.h"
#include "schema/base/idmap.h"
#include "schema/tracelog/tracelog.h"

struct roxi_traffic_end;  /* one JVM's end of a connection */
struct roxi_traffic_sent; /* what was sent from it before a packet */
struct roxi_traffic_wait; /* when it waited for an answer */

/* Of one log. All zero: empty. */
struct roxi_traffic {
    struct roxi_traffic_end *ends; /* owned, as are the other lists */
    size_t end_count, end_cap;
    struct ix_idmap known; /* from both addresses to the end's place + 1 */
    struct roxi_traffic_sent *sent;
    size_t sent_count, sent_cap;
    struct roxi_traffic_wait *waits;
    size_t wait_count, wait_cap;
    bool keep;       /* the last two, for the history */
    uint16_t *ports; /* on which the JVM listened, each once */
    size_t port_count, port_cap;
};

/* Takes what a log has before a packet. `answered`: how many packets the JVM had answered up to it,
 * in which silence is measured. -1: memory ran out. O(entries). */
int roxi_traffic_take(struct roxi_traffic *t, const struct ix_facts *facts, uint64_t packet,
                      uint64_t answered);
/* After the log's last packet. -1: memory ran out. O(ends). */
int roxi_traffic_end(struct roxi_traffic *t, uint64_t answered);

/* A JVM of a run. */
struct roxi_traffic_jvm {
    struct roxi_traffic *traffic;
    uint32_t role; /* a string */
};
/* Joins the ends of all JVMs of a run by their addresses, or, if none has these, by their ports,
 * for addresses that are translated on the way. Adds to `use` what each role said to each other
 * one, and to `history` (NULL: not wanted) when. An end whose other one is no JVM's, or may be that
 * of several roles, has the peer 0. -1: memory ran out. O(ends). */
int roxi_traffic_join(const struct roxi_traffic_jvm *jvms, size_t count, struct roxi_use *use,
                      struct roxi_history *history);
void roxi_traffic_free(struct roxi_traffic *t);

#endif
