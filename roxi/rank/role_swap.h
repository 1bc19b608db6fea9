/* SPDX-License-Identifier: Apache-2.0 */
/* Peers: roles whose names differ in a last number or letter only, "Server 1" and "Server 2". Which
 * of them leads is often chance. Where nearly always the same one does, the few executions with
 * another leader are unusual in every thread of two roles, and nothing is wrong with them. So an
 * execution in which two peers each did what the other one typically does is compared as if they
 * had exchanged their names.
 *
 * What a role does is how often its threads were in which state (ROXI_STATES), as logarithms; what
 * it typically does is the median of that over the executions, and how far it is from that the sum
 * of the differences. Two peers exchange their names when that brings them less than half as far as
 * they were, which must have been more than twice as far as they are in the median. A peer that
 * does another one's work beside its own, or for a while only, is near to neither, and keeps its
 * name: it stays visible.
 */
#ifndef ROXI_ROLE_SWAP_H
#define ROXI_ROLE_SWAP_H

#include "roxi/campaign/profile.h"

/* So many peers at most; of more, each keeps its name. */
enum { ROXI_ROLE_SWAP_PEERS_MAX = 32 };

struct roxi_role_swap {
    size_t execution;
    uint32_t role, as; /* strings: its name, and that of the peer whose work it did */
};

/* All zero: nobody exchanged names. */
struct roxi_role_swaps {
    struct roxi_role_swap *list; /* by execution, then role; owned */
    size_t count, cap;
};

/* Typical is what the executions of `reference` (NULL: all) do. Profiles without the feature have
 * no exchanges. -1: memory ran out; nothing is left to free. Time: that of sorting all states;
 * memory: 16 bytes for each thread's state in an execution, of one stem's peers at a time. */
int roxi_role_swaps_find(struct roxi_role_swaps *peers, const struct roxi_profiles *p,
                         const bool *reference);
void roxi_role_swaps_free(struct roxi_role_swaps *peers);

/* The role that is compared as `as` in an execution; `as` itself unless it was exchanged. */
uint32_t roxi_role_swaps_role(const struct roxi_role_swaps *peers, size_t execution, uint32_t as);

/* The length of what a role's name has in common with its peers'; 0: it has none. */
size_t roxi_role_stem(const char *role);

#endif
