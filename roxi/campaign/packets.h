/* SPDX-License-Identifier: Apache-2.0 */
/* Which packets a JVM answered, and which packets enough JVMs answered (docs/thesis.md,
 * Normalisation 3): sets of packet numbers, stored as ranges of consecutive numbers. */
#ifndef ROXI_PACKETS_H
#define ROXI_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct roxi_run {
    uint64_t first, last; /* inclusive */
};

/* All zero: the empty set. */
struct roxi_packets {
    struct roxi_run *runs; /* owned; ascending, with gaps between them */
    size_t count, cap;
};

void roxi_packets_free(struct roxi_packets *p);

/* Adds a packet; ignored unless its number is above all earlier ones. -1: out of memory. O(1). */
int roxi_packets_add(struct roxi_packets *p, uint64_t packet);
/* The number of packets; UINT64_MAX also stands for 2^64. O(ranges). */
uint64_t roxi_packets_size(const struct roxi_packets *p);

/* Puts the packets that at least `enough` (1 or more) of the sets hold into *chosen, which must
 * be empty. -1: out of memory. O(r log r) for r ranges in all. */
int roxi_packets_choose(const struct roxi_packets *const *sets, size_t count, uint64_t enough,
                        struct roxi_packets *chosen);

/* Leaves out the packets below `first`. O(ranges). */
void roxi_packets_from(struct roxi_packets *p, uint64_t first);

/* True if the set holds the packet. Ask for packets in ascending order; *at, initially 0, is
 * where the search continues. O(1) amortised. */
bool roxi_packets_has(const struct roxi_packets *p, uint64_t packet, size_t *at);

#endif
