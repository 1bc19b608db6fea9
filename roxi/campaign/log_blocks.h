/* SPDX-License-Identifier: Apache-2.0 */
/* Of one log: which blocks of code were executed, since when, and for how long they were not while
 * the rest of their method was. Where a branch is usually taken, and is not any more, something has
 * changed, although the code itself does not tell. */
#ifndef ROXI_LOG_BLOCKS_H
#define ROXI_LOG_BLOCKS_H

#include "roxi/campaign/log_symbols.h"
#include "roxi/campaign/use.h"

/* A time in which a block was not executed. */
struct roxi_log_pause {
    uint32_t block;         /* its number in `numbers` */
    uint64_t from, resumed; /* its first packet, and that of its end; UINT64_MAX: none */
};

/* All zero: empty. Owned. */
struct roxi_log_blocks {
    struct roxi_tally numbers; /* of (stack, block) */
    uint64_t *first;           /* by number: the packet since which it was executed */
    size_t first_cap;
    struct roxi_log_pause *pauses;
    size_t pause_count, pause_cap;
    uint32_t *open; /* by number: 1 + its pause that has not ended */
    size_t open_cap;
    bool tells_pauses;
};
void roxi_log_blocks_free(struct roxi_log_blocks *b);

/* Takes what is told of blocks at a packet: those that are executed are added to what the role did,
 * and kept here if `pauses`, with their pauses, if lines are compared. Packets ascend. -1: memory
 * ran out. O(1) a block, amortised. */
int roxi_log_blocks_take(struct roxi_log_blocks *b, struct roxi_log_symbols *symbols,
                         const struct ix_facts *facts, uint64_t packet, bool pauses, uint32_t role,
                         struct roxi_use *use);
/* The block (use.h) was executed first by that packet; or, at that one, has not been for so many
 * packets, or is again (packets 0). Packets ascend. -1: memory ran out. O(1) amortised. */
int roxi_log_blocks_executed(struct roxi_log_blocks *b, uint32_t stack, uint32_t block,
                             uint64_t packet);
int roxi_log_blocks_pause(struct roxi_log_blocks *b, uint32_t stack, uint32_t block,
                          uint64_t packet, uint64_t packets);

/* Adds to what the role did when they were executed, up to the JVM's last packet. -1: memory ran
 * out. O(n log n), n being blocks and pauses. */
int roxi_log_blocks_end(const struct roxi_log_blocks *b, const struct roxi_symbols *s,
                        uint64_t last, uint32_t role, struct roxi_use *use);

#endif
