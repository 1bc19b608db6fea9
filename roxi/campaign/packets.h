/* Which packets a VM answered, and which ones enough VMs did (THESIS.md, normalisation 3): sets of
 * packet numbers as runs of consecutive ones. */
#ifndef ROXI_PACKETS_H
#define ROXI_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct roxi_run {
    uint64_t first, last; /* both belong to it */
};

/* All zero: none. */
struct roxi_packets {
    struct roxi_run *runs; /* owned; ascending, none touches the next */
    size_t count, cap;
};

void roxi_packets_free(struct roxi_packets *p);

/* Adds a packet, which is to be above all before; others are ignored. -1: memory ran out. O(1). */
int roxi_packets_add(struct roxi_packets *p, uint64_t packet);
/* How many packets; UINT64_MAX stands for 2^64, too. O(runs). */
uint64_t roxi_packets_size(const struct roxi_packets *p);

/* The packets that at least `enough` (1 or more) of the sets hold, in *chosen, which is empty
 * before. -1: memory ran out. O(r log r) for r runs in all. */
int roxi_packets_choose(const struct roxi_packets *const *sets, size_t count, uint64_t enough,
                        struct roxi_packets *chosen);

/* Whether the packet is one of them; *at, 0 at first, is where the search goes on: packets are
 * asked for in ascending order. O(1) amortised. */
bool roxi_packets_has(const struct roxi_packets *p, uint64_t packet, size_t *at);

#endif
