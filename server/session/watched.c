/* SPDX-License-Identifier: Apache-2.0 */
#include "server/session/watched.h"

void ixor_watched_add(struct ixor_watched_list *list, uint64_t packet, size_t vms)
{
    list->at[list->count++ % IXOR_WATCHED] = (struct ixor_watched){.packet = packet, .vms = vms};
}

struct ixor_watched *ixor_watched_find(struct ixor_watched_list *list, uint64_t packet)
{
    for (size_t i = 0; i < IXOR_WATCHED && i < list->count; i++) {
        if (list->at[i].packet == packet)
            return &list->at[i];
    }
    return NULL;
}

void ixor_watched_taken(struct ixor_watched_list *list, uint64_t packet)
{
    struct ixor_watched *w = ixor_watched_find(list, packet);
    if (w && w->taken < w->vms) /* a report can arrive twice */
        w->taken++;
}
