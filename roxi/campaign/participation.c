/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/participation.h"

#include <stdlib.h>

static int by_role(const void *a, const void *b)
{
    const struct roxi_participation *x = a, *y = b;
    return (x->role > y->role) - (x->role < y->role);
}

size_t roxi_participation_merge(struct roxi_participation *list, size_t count)
{
    size_t n = 0;
    if (count)
        qsort(list, count, sizeof *list, by_role);
    for (size_t i = 0; i < count; i++) {
        if (!n || list[n - 1].role != list[i].role) {
            list[n++] = list[i];
            continue;
        }
        struct roxi_participation *sum = &list[n - 1];
        sum->bad_ends += list[i].bad_ends;
        sum->too_short += list[i].too_short;
        sum->vanished += list[i].vanished;
        sum->answered += list[i].answered;
        if (list[i].lost > sum->lost ||
            (list[i].lost == sum->lost && list[i].lost_from < sum->lost_from)) {
            sum->lost = list[i].lost;
            sum->lost_from = list[i].lost_from;
        }
        sum->early = list[i].early > sum->early ? list[i].early : sum->early;
    }
    return n;
}

struct roxi_participation roxi_participation_of(const struct roxi_participation *list, size_t count,
                                                uint32_t role)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].role == role)
            return list[i];
    return (struct roxi_participation){.role = role};
}

uint64_t roxi_participation_length(const struct roxi_participation *list, size_t count)
{
    uint64_t length = 0;
    for (size_t i = 0; i < count; i++)
        if (list[i].answered > length)
            length = list[i].answered;
    return length;
}
