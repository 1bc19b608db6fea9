/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/durations.h"

#include <stdlib.h>
#include <string.h>

#include "roxi/base/platform.h"

const struct roxi_call roxi_no_call = {ROXI_NONE, ROXI_NONE, ROXI_NONE, ROXI_NONE};

/* ---- names ---- */

bool roxi_is_outside(const struct roxi_symbols *s, uint32_t stack)
{
    for (; stack; stack = roxi_symbols_stack_at(s, stack).parent) {
        const struct roxi_frame f = roxi_symbols_top(s, stack);
        if (!roxi_is_platform(roxi_symbols_text(s, f.class_name)))
            return false;
    }
    return true;
}

size_t roxi_top_level(const char *class_name)
{
    const char *simple = strrchr(class_name, '.');
    simple = simple ? simple + 1 : class_name;
    return *simple ? (size_t)(simple + 1 - class_name) + strcspn(simple + 1, "$") : 0;
}

bool roxi_same_top_level(const char *a, const char *b)
{
    const size_t len = roxi_top_level(a);
    return len == roxi_top_level(b) && memcmp(a, b, len) == 0;
}

/* ---- what they are about ---- */

struct roxi_call roxi_call_at(const struct roxi_durations *d, uint32_t call)
{
    const uint64_t key = roxi_tally_key(&d->calls, call);
    const uint64_t caller = roxi_tally_key(&d->methods, (size_t)(key >> 32));
    struct roxi_call c = {(uint32_t)(caller >> 32), (uint32_t)caller, ROXI_NONE, ROXI_NONE};
    if ((uint32_t)key) {
        const uint64_t called = roxi_tally_key(&d->methods, (uint32_t)key - 1);
        c.called_class = (uint32_t)(called >> 32);
        c.called = (uint32_t)called;
    }
    return c;
}

struct roxi_stay roxi_stay_at(const struct roxi_durations *d, uint32_t stay)
{
    const uint64_t key = roxi_tally_key(&d->stays, stay);
    if (key >> 32 == ROXI_NONE)
        return (struct roxi_stay){.class_name = (uint32_t)key};
    return (struct roxi_stay){ROXI_NONE, (uint32_t)(key >> 32), (uint32_t)key};
}

void roxi_durations_free(struct roxi_durations *d)
{
    if (!d)
        return;
    free(d->all);
    free(d->first);
    free(d->locus_of);
    free(d->classes_of);
    free(d->first_class);
    roxi_tally_free(&d->members);
    roxi_tally_free(&d->methods);
    roxi_tally_free(&d->calls);
    roxi_tally_free(&d->stays);
    roxi_tally_free(&d->items);
    roxi_tally_free(&d->loci);
    roxi_symbols_free(d->classes);
    free(d);
}

struct roxi_member roxi_durations_member(const struct roxi_durations *d, uint32_t member)
{
    const uint64_t key = roxi_tally_key(&d->members, member);
    return (struct roxi_member){(uint32_t)(key >> 32), (uint32_t)key};
}

struct roxi_locus roxi_durations_locus(const struct roxi_durations *d, uint32_t locus)
{
    const uint64_t key = roxi_tally_key(&d->loci, locus);
    const uint32_t low = (uint32_t)key;
    if (low < ROXI_DURATION_KINDS)
        return (struct roxi_locus){(uint32_t)(key >> 32), ROXI_NONE, low};
    return (struct roxi_locus){(uint32_t)(key >> 32), low - ROXI_DURATION_KINDS, ROXI_IN_CALL};
}

struct roxi_call roxi_durations_call(const struct roxi_durations *d, uint32_t item)
{
    const uint32_t what = (uint32_t)roxi_tally_key(&d->items, item);
    return roxi_call_at(d, what - ROXI_DURATION_KINDS);
}

uint32_t roxi_durations_template(const struct roxi_durations *d, uint32_t item)
{
    const uint32_t what = (uint32_t)roxi_tally_key(&d->items, item);
    if (what & ROXI_STAYS)
        return roxi_stay_at(d, what - ROXI_STAYS).template;
    return (uint32_t)roxi_tally_key(&d->calls, what - ROXI_DURATION_KINDS);
}

uint32_t roxi_durations_class(const struct roxi_durations *d, uint32_t item)
{
    return (uint32_t)roxi_tally_key(&d->items, item) - ROXI_CLASSES;
}

struct roxi_stay roxi_durations_stay(const struct roxi_durations *d, uint32_t item)
{
    return roxi_stay_at(d, (uint32_t)roxi_tally_key(&d->items, item) - ROXI_STAYS);
}

uint32_t roxi_durations_counterpart(const struct roxi_durations *d, uint32_t item, uint32_t member)
{
    const uint32_t what = (uint32_t)roxi_tally_key(&d->items, item);
    const uint32_t number = ix_idmap_get(&d->items.numbers, roxi_pair(member, what));
    return number ? number - 1 : ROXI_NONE;
}

uint32_t roxi_durations_packets(const struct roxi_duration *list, size_t count, uint32_t item)
{
    size_t low = 0;
    for (size_t high = count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (list[middle].item < item)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && list[low].item == item ? list[low].packets : 0;
}
