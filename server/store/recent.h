/* SPDX-License-Identifier: Apache-2.0 */
/* Recently sent packets, until all JVMs have reported them or time is up: when their first and last
 * stops were, in the server's clock, with a bound on the error. Pure.
 *
 * Stop i lies in [b - e, b + e], where b is its reading and e the bound on its clock's error. The
 * skew is max b - min b; the true skew lies between max(0, max(b - e) - min(b + e)) and max(b + e)
 * - min(b - e), and the error is the distance of the farther end.
 */
#ifndef IXOR_RECENT_H
#define IXOR_RECENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/catalogue/catalogue.h"

/* A packet of one run. */
struct ixor_recent_packet {
    uint64_t number;
    int64_t execution;  /* its id in the catalogue */
    uint64_t sent_ns;   /* monotonic clock, when sending began */
    uint64_t target_ns; /* 0: at once */
    uint64_t vms, taken;
    uint64_t timed;                          /* JVMs among `taken` with a known clock: */
    int64_t first_ns, last_ns;               /* min b, max b */
    int64_t earliest_ns, latest_ns;          /* min (b - e), max (b + e) */
    int64_t surely_first_ns, surely_last_ns; /* min (b + e), max (b - e) */
    bool closed;
};

struct ixor_recent;

/* Called with a packet for which no more reports are expected; the row lives until it returns. */
typedef void ixor_recent_close_fn(void *user, const struct ix_packet_outcome *outcome);

/* Holds at most `room` packets. NULL: out of memory. */
struct ixor_recent *ixor_recent_new(size_t room, ixor_recent_close_fn *close, void *user);
void ixor_recent_free(struct ixor_recent *r); /* discards open packets; r may be NULL */

/* Adds a packet that was sent; numbers never descend. Only the fields up to vms are used. If there
 * is no room the oldest packet is closed. O(1). */
void ixor_recent_sent(struct ixor_recent *r, const struct ixor_recent_packet *packet);

/* The packet, NULL if it is not open. O(log room + runs). */
struct ixor_recent_packet *ixor_recent_find(struct ixor_recent *r, uint64_t number,
                                            int64_t execution);
/* Records that a JVM took it; if `timed`, at begin_ns on the server's clock, give or take error_ns.
 * The last JVM's report closes the packet. O(1) amortised. */
void ixor_recent_taken(struct ixor_recent *r, struct ixor_recent_packet *packet, bool timed,
                       int64_t begin_ns, int64_t error_ns);

/* Closes packets sent before `before_ns`. */
void ixor_recent_expire(struct ixor_recent *r, uint64_t before_ns);
/* Closes the open packets of a run. O(room). */
void ixor_recent_end(struct ixor_recent *r, int64_t execution);

#endif
