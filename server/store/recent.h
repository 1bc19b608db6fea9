/* The packets that were sent lately, until all VMs have reported them or time is up: when their
 * first and last stop were, in the server's clock, and how far wrong that can be. Pure.
 *
 * Stop i lies in [b - e, b + e], b its reading and e the bound on its clock's error. The skew is
 * max b - min b; truly it lies between max(0, max(b - e) - min(b + e)) and max(b + e) - min(b - e),
 * and the error is the farther end's distance.
 */
#ifndef IXOR_RECENT_H
#define IXOR_RECENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/catalogue.h"

/* A packet of one execution. */
struct ixor_recent_packet {
    uint64_t number;
    int64_t execution;  /* in the catalogue */
    uint64_t sent_ns;   /* monotonic clock, when sending began */
    uint64_t target_ns; /* 0: at once */
    uint64_t vms, taken;
    uint64_t timed;                          /* of the latter, those with a known clock: */
    int64_t first_ns, last_ns;               /* min b, max b */
    int64_t earliest_ns, latest_ns;          /* min (b - e), max (b + e) */
    int64_t surely_first_ns, surely_last_ns; /* min (b + e), max (b - e) */
    bool closed;
};

struct ixor_recent;

/* Called with a packet that nothing more is to be expected of; the row lives until it returns. */
typedef void ixor_recent_close_fn(void *user, const struct ix_packet_outcome *outcome);

/* Keeps `room` packets. NULL: out of memory. */
struct ixor_recent *ixor_recent_new(size_t room, ixor_recent_close_fn *close, void *user);
void ixor_recent_free(struct ixor_recent *r); /* forgets what is open; r may be NULL */

/* A packet was sent; numbers never descend. Of the new packet the fields up to vms count. Where
 * there is no room the oldest is closed. O(1). */
void ixor_recent_sent(struct ixor_recent *r, const struct ixor_recent_packet *packet);

/* The packet, NULL if it is not open. O(log room + executions). */
struct ixor_recent_packet *ixor_recent_find(struct ixor_recent *r, uint64_t number,
                                            int64_t execution);
/* A VM took it; if `timed`, at begin_ns of the server's clock or up to error_ns off that. The last
 * VM's report closes the packet. O(1) amortised. */
void ixor_recent_taken(struct ixor_recent *r, struct ixor_recent_packet *packet, bool timed,
                       int64_t begin_ns, int64_t error_ns);

/* Closes what was sent before `before_ns`. */
void ixor_recent_expire(struct ixor_recent *r, uint64_t before_ns);
/* Closes what is open of an execution. O(room). */
void ixor_recent_end(struct ixor_recent *r, int64_t execution);

#endif
