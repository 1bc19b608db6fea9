/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/role_swap.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

size_t roxi_role_stem(const char *role)
{
    const size_t len = strlen(role);
    size_t stem = len;
    while (stem > 0 && isdigit((unsigned char)role[stem - 1]))
        stem--;
    if (stem == len && len > 1 && isalpha((unsigned char)role[len - 1]) && isascii(role[len - 2]) &&
        !isalnum((unsigned char)role[len - 2]))
        stem--;
    return stem < len ? stem : 0;
}

bool roxi_are_peers(const char *a, const char *b)
{
    const size_t stem = roxi_role_stem(a);
    return stem && stem == roxi_role_stem(b) && memcmp(a, b, stem) == 0;
}

static int by_item(const void *a, const void *b)
{
    const struct roxi_duration *x = a, *y = b;
    return (x->item > y->item) - (x->item < y->item);
}

struct roxi_duration *roxi_role_swapped(const struct roxi_durations *d,
                                        const struct roxi_duration *run, size_t count, uint32_t a,
                                        uint32_t b)
{
    struct roxi_duration *swapped = calloc(count + 1, sizeof *swapped);
    for (size_t i = 0; swapped && i < count; i++) {
        const uint32_t role = roxi_durations_role(d, run[i].item);
        swapped[i] = run[i];
        if (role != a && role != b)
            continue;
        const uint32_t other = roxi_durations_counterpart(d, run[i].item, role == a ? b : a);
        if (other != ROXI_NONE)
            swapped[i].item = other;
    }
    if (swapped && count)
        qsort(swapped, count, sizeof *swapped, by_item);
    return swapped;
}
