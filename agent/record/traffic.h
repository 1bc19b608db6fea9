/* SPDX-License-Identifier: Apache-2.0 */
/* How much went over a TCP connection of the process, by the kernel's own counts (TCP_INFO):
 * nothing is intercepted. Independent of the JVM. */
#ifndef IX_AGENT_TRAFFIC_H
#define IX_AGENT_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/record/calls.h"
#include "schema/tracelog/tracelog.h"

/* The counts of a connection when it was last looked at. All zero: since it was opened. */
struct ixa_traffic {
    uint64_t sent_bytes, received_bytes, unread;
    uint32_t sent, received; /* segments with data; they wrap around */
    bool over;               /* both ends have closed it, or one has reset it: it has no remote end
                              * any more, although the descriptor may be open */
};

/* Looks at the connection of a descriptor. True if something has changed, which is then in *news,
 * without the addresses. False also if it has not these ends any more, or if the kernel does not
 * tell: before Linux 4.6, or no TCP. 1 us if nothing has changed, else 2 us. */
bool ixa_traffic_look(struct ixa_traffic *t, int fd, const struct ixa_ends *ends,
                      struct ix_traffic *news);

#endif
