/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the runs of a campaign into its communication graph. */
#ifndef ROXI_WAITS_COMMUNICATION_READ_H
#define ROXI_WAITS_COMMUNICATION_READ_H

#include <stdbool.h>

#include "roxi/waits/communication.h"

struct waits_reading {
    const struct roxi_listing *listing;
    const struct roxi_listed_execution *here; /* one of the listing, read last; NULL: none */
    size_t most;                              /* read so many others, the first ones */
    bool quiet; /* no progress, and no warnings of runs without connections or damaged logs */
};

/* *g is all zero. 1: the graph is finished; 0: `here`, or if there is none every run, was recorded
 * without connections; -1 with a message. Free the graph in any case. O(n log n) in what the logs
 * hold. */
int waits_communication_read(struct waits_communication *g, const struct waits_reading *r,
                             struct ix_error *err);

#endif
