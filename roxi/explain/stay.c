/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/explain/stay.h"

#include <string.h>

struct roxi_call roxi_stay_call(const struct roxi_durations *d, uint32_t item, uint32_t stack)
{
    const struct roxi_symbols *s = d->profiles->symbols;
    const struct roxi_stay stay = roxi_durations_stay(d, item);
    struct roxi_call c = roxi_no_call;
    if (stay.class_name == ROXI_NONE)
        return c;
    const char *wanted = roxi_symbols_text(d->classes, stay.class_name);
    for (; stack; stack = roxi_symbols_stack_at(s, stack).parent) {
        const struct roxi_frame f = roxi_symbols_top(s, stack);
        const char *text = roxi_symbols_text(s, f.class_name);
        const size_t len = roxi_top_level(text);
        if (len == strlen(wanted) && memcmp(text, wanted, len) == 0)
            return (struct roxi_call){f.class_name, f.method, c.called_class, c.called};
        c.called_class = f.class_name;
        c.called = f.method;
    }
    return c;
}

static bool is_of(const struct roxi_durations *d, uint32_t item, struct roxi_member who,
                  const struct roxi_span *span)
{
    const struct roxi_stay stay = roxi_durations_stay(d, item);
    const struct roxi_place place = roxi_profiles_place(d->profiles, span->group);
    if (!roxi_same_member(roxi_member_at(place), who))
        return false;
    if (stay.class_name == ROXI_NONE)
        return place.template == stay.template && span->stack == stay.stack;
    return roxi_stay_call(d, item, span->stack).class_name != ROXI_NONE;
}

const struct roxi_span *roxi_stay_find(const struct roxi_ranking *r, size_t run, uint32_t item)
{
    const struct roxi_durations *d = r->durations;
    const struct roxi_history *h = &d->profiles->executions[run].history;
    const struct roxi_member who = roxi_durations_member(d, roxi_ranking_member(r, run, item));
    const struct roxi_span *longest = NULL;
    for (size_t i = 0; i < h->count; i++)
        if ((!longest || h->spans[i].packets > longest->packets) &&
            is_of(d, item, who, &h->spans[i]))
            longest = &h->spans[i];
    return longest;
}
