/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/role_swap.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/radix.h"

size_t roxi_role_stem(const char *name)
{
    const size_t len = strlen(name);
    size_t stem = len;
    while (stem > 0 && isdigit((unsigned char)name[stem - 1]))
        stem--;
    if (stem == len && len > 1 && isalpha((unsigned char)name[len - 1]) && isascii(name[len - 2]) &&
        !isalnum((unsigned char)name[len - 2]))
        stem--;
    return stem < len ? stem : 0;
}

static bool differ_in_last(const char *a, const char *b)
{
    const size_t stem = roxi_role_stem(a);
    return stem && stem == roxi_role_stem(b) && memcmp(a, b, stem) == 0;
}

bool roxi_are_peers(const struct roxi_durations *d, uint32_t a, uint32_t b)
{
    const struct roxi_symbols *names = d->profiles->symbols;
    const struct roxi_member x = roxi_durations_member(d, a), y = roxi_durations_member(d, b);
    if (x.node && y.node)
        return x.role == y.role &&
               differ_in_last(roxi_symbols_text(names, x.node), roxi_symbols_text(names, y.node));
    return !x.node && !y.node &&
           differ_in_last(roxi_symbols_text(names, x.role), roxi_symbols_text(names, y.role));
}

/* What `as` says of one member. */
static uint32_t goes_by(const uint32_t *as, uint32_t a, uint32_t b, uint32_t member)
{
    if (as)
        return as[member];
    return member == a ? b : member == b ? a : member;
}

/* By `as`, or if that is NULL, a and b exchanged. */
static struct roxi_duration *rename_members(const struct roxi_durations *d,
                                            const struct roxi_duration *run, size_t count,
                                            const uint32_t *as, uint32_t a, uint32_t b)
{
    struct roxi_duration *renamed = calloc(2 * count + 1, sizeof *renamed);
    for (size_t i = 0; renamed && i < count; i++) {
        const uint32_t member = roxi_durations_of(d, run[i].item);
        const uint32_t name = goes_by(as, a, b, member);
        renamed[i] = run[i];
        if (name == member)
            continue;
        const uint32_t other = roxi_durations_counterpart(d, run[i].item, name);
        if (other != ROXI_NONE)
            renamed[i].item = other;
    }
    if (renamed)
        roxi_sort_by_number(renamed, count, sizeof *renamed, renamed + count);
    return renamed;
}

struct roxi_duration *roxi_role_renamed(const struct roxi_durations *d,
                                        const struct roxi_duration *run, size_t count,
                                        const uint32_t *as)
{
    return rename_members(d, run, count, as, 0, 0);
}

struct roxi_duration *roxi_role_swapped(const struct roxi_durations *d,
                                        const struct roxi_duration *run, size_t count, uint32_t a,
                                        uint32_t b)
{
    return rename_members(d, run, count, NULL, a, b);
}
