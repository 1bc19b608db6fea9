/* SPDX-License-Identifier: Apache-2.0 */
/* Packets that a user asked for: counts how many JVMs have taken them as reports arrive. */
#ifndef IXOR_WATCHED_H
#define IXOR_WATCHED_H

#include <stddef.h>
#include <stdint.h>

#define IXOR_WATCHED 16 /* the last ones */

struct ixor_watched {
    uint64_t packet;
    size_t vms, taken;
};

struct ixor_watched_list {
    struct ixor_watched at[IXOR_WATCHED];
    size_t count; /* so far */
};

void ixor_watched_add(struct ixor_watched_list *list, uint64_t packet, size_t vms);
/* NULL: not in the list. */
struct ixor_watched *ixor_watched_find(struct ixor_watched_list *list, uint64_t packet);
/* Records that a JVM took a packet, in the list or not. */
void ixor_watched_taken(struct ixor_watched_list *list, uint64_t packet);

#endif
