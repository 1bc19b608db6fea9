/* SPDX-License-Identifier: Apache-2.0 */
/* Peers: roles, or nodes of one role, that do the same. Their names differ only in a last number or
 * letter, "Server 1" and "Server 2"; or they are in the same classes, whatever they are called.
 * Which of them leads is often chance (lead.h). */
#ifndef ROXI_RANK_PEERS_H
#define ROXI_RANK_PEERS_H

#include <stdbool.h>

#include "roxi/rank/durations.h"

/* The length of the beginning that a role's or node's name shares with its peers' names; 0: it has
 * no peers. */
size_t roxi_role_stem(const char *name);
/* Do two names differ in that only, if at all, and have peers? */
bool roxi_role_is_peer(const char *a, const char *b);
/* Two roles, or two nodes of a role: numbers of members. O(classes that they are in). */
bool roxi_are_peers(const struct roxi_durations *d, uint32_t a, uint32_t b);
/* Of one role or two; false if one of them is in no run. */
bool roxi_members_are_peers(const struct roxi_durations *d, struct roxi_member a,
                            struct roxi_member b);
/* Two roles: strings. */
bool roxi_roles_are_peers(const struct roxi_durations *d, uint32_t a, uint32_t b);

/* The durations of a run, ascending by item, as they would be if two members had exchanged their
 * names; what only one of them ever does stays where it is. The caller frees it; NULL: memory ran
 * out. O(count). */
struct roxi_duration *roxi_role_swapped(const struct roxi_durations *d,
                                        const struct roxi_duration *run, size_t count, uint32_t a,
                                        uint32_t b);

/* What peers do together: the same durations of all of them, added up. Where who does what is
 * chance (lead.h), work may also move from one peer to another in the middle of a run, as after an
 * election; then the run looks like no other, peer by peer, but as usual together. All zero: peers
 * are not looked at together. */
struct roxi_together {
    const struct roxi_durations *durations;
    uint32_t *peer_of; /* by member: the first of its peers, or itself; owned, as is the rest */
    uint32_t *of;      /* by item: the number of its set, or ROXI_NONE */
    uint32_t *items;   /* set after set */
    size_t *first;     /* by set, and one more: where its items begin */
    size_t count;      /* of sets */
};

/* The sets of items that peers have in common. -1: memory ran out; nothing is left to free.
 * O(items + members^2 x classes). */
int roxi_together_make(struct roxi_together *t, const struct roxi_durations *d);
void roxi_together_free(struct roxi_together *t);

#endif
