/* SPDX-License-Identifier: Apache-2.0 */
/* Peers: roles, or nodes of one role, whose names differ in a last number or letter only, "Server
 * 1" and "Server 2". Which of them leads is often chance. Where nearly always the same one does,
 * the few runs with another leader are unusual in every place of two of them, and nothing is wrong
 * with them. So a run in which two peers each did what the other one typically does is compared as
 * if they had exchanged their names. A peer that does another one's work beside its own, or for a
 * while only, is near to neither, and stays visible. */
#ifndef ROXI_ROLE_SWAP_H
#define ROXI_ROLE_SWAP_H

#include <stdbool.h>

#include "roxi/rank/durations.h"

/* The length of what a role's or node's name has in common with its peers'; 0: it has none. */
size_t roxi_role_stem(const char *name);
/* Two roles, or two nodes of a role: numbers of members. */
bool roxi_are_peers(const struct roxi_durations *d, uint32_t a, uint32_t b);

/* The durations of a run, ascending by item, as they would be if two members had exchanged their
 * names; what only one of them ever does stays where it is. NULL: memory ran out; to be freed.
 * O(count log count). */
struct roxi_duration *roxi_role_swapped(const struct roxi_durations *d,
                                        const struct roxi_duration *run, size_t count, uint32_t a,
                                        uint32_t b);

#endif
