/* SPDX-License-Identifier: Apache-2.0 */
/* Peers: roles, or nodes of one role, whose names differ only in a last number or letter, "Server
 * 1" and "Server 2". Which of them leads is often chance. If it is nearly always the same one, the
 * few runs with another leader are unusual in every place of two peers, although nothing is wrong
 * with them. So a run in which two peers each did what the other one typically does is compared as
 * if they had exchanged their names. A peer that does another one's work in addition to its own, or
 * only for a while, resembles neither, and stays visible; less so where who does what is chance
 * (together.h). */
#ifndef ROXI_ROLE_SWAP_H
#define ROXI_ROLE_SWAP_H

#include <stdbool.h>

#include "roxi/rank/durations.h"

/* More peers of each other are not compared with each other. */
enum { ROXI_PEERS_MOST = 16 };

/* The length of the beginning that a role's or node's name shares with its peers' names; 0: it has
 * no peers. */
size_t roxi_role_stem(const char *name);
/* Two roles, or two nodes of a role: numbers of members. */
bool roxi_are_peers(const struct roxi_durations *d, uint32_t a, uint32_t b);

/* The durations of a run, ascending by item, as they would be if each member went by the name of
 * as[member]; what that one never does stays where it is. The caller frees it; NULL: memory ran
 * out. O(count). */
struct roxi_duration *roxi_role_renamed(const struct roxi_durations *d,
                                        const struct roxi_duration *run, size_t count,
                                        const uint32_t *as);
/* The durations of a run, ascending by item, as they would be if two members had exchanged their
 * names; what only one of them ever does stays where it is. The caller frees it; NULL: memory ran
 * out. O(count). */
struct roxi_duration *roxi_role_swapped(const struct roxi_durations *d,
                                        const struct roxi_duration *run, size_t count, uint32_t a,
                                        uint32_t b);

#endif
