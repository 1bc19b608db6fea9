/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/durations_building.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/interrupt.h"
#include "roxi/base/platform.h"
#include "schema/base/grow.h"

/* ---- calls ---- */

/* ROXI_NONE: memory ran out. */
static uint32_t method_of(struct roxi_building *b, uint32_t frame)
{
    if (!b->method_of[frame]) {
        const struct roxi_frame f = roxi_symbols_frame_at(b->symbols, frame);
        const uint32_t number =
            roxi_tally_add(&b->d->methods, roxi_pair(f.class_name, f.method), 0);
        if (number == ROXI_NONE)
            return ROXI_NONE;
        b->method_of[frame] = number + 1;
    }
    return b->method_of[frame] - 1;
}

/* Lists a call for a stack, unless it is listed already. -1: memory ran out. */
static int list_call(struct roxi_building *b, uint32_t stack, uint32_t method, uint32_t called)
{
    const uint32_t call = roxi_tally_add(&b->d->calls, roxi_pair(method, called), 0);
    if (call == ROXI_NONE)
        return -1;
    uint32_t *met = ix_grow_zeroed(b->met, &b->met_cap, (size_t)call + 1, sizeof *met);
    if (!met)
        return -1;
    b->met = met;
    if (met[call] == stack + 1)
        return 0;
    met[call] = stack + 1;
    return ix_append(b->list, b->listed, b->list_cap, call);
}

static int list_calls(struct roxi_building *b, uint32_t stack)
{
    const uint32_t depth = roxi_symbols_stack_at(b->symbols, stack).depth;
    struct roxi_stack_calls *calls = &b->calls_of[stack];
    if (calls->known)
        return 0;
    *calls = (struct roxi_stack_calls){.from = (uint32_t)b->listed, .known = true};
    roxi_symbols_unfold(b->symbols, stack, b->frames);
    for (uint32_t i = 0; i < depth; i++) {
        const uint32_t frame = b->frames[i];
        const uint32_t method = method_of(b, frame);
        const uint32_t called = i + 1 < depth ? method_of(b, b->frames[i + 1]) : 0;
        if (method == ROXI_NONE || called == ROXI_NONE)
            return -1;
        const uint32_t class_name = roxi_symbols_frame_at(b->symbols, frame).class_name;
        if (!roxi_is_platform(roxi_symbols_text(b->symbols, class_name)) &&
            list_call(b, stack, method, i + 1 < depth ? called + 1 : 0) != 0)
            return -1;
    }
    calls->count = (uint32_t)b->listed - calls->from;
    return 0;
}

/* ---- items ---- */

static uint32_t locus_class(struct roxi_building *b, uint32_t class_name)
{
    const char *text = roxi_symbols_text(b->symbols, class_name);
    return roxi_symbols_string(b->d->classes, text, roxi_top_level(text));
}

/* What a locus is of that has an item that is about `what`: a kind, or a class's number + kinds.
 * ROXI_NONE: memory ran out. */
static uint32_t locus_about(struct roxi_building *b, uint32_t what)
{
    if (what & ROXI_STAYS) {
        const struct roxi_stay stay = roxi_stay_at(b->d, what - ROXI_STAYS);
        return stay.class_name == ROXI_NONE ? ROXI_OUTSIDE : stay.class_name + ROXI_DURATION_KINDS;
    }
    if (what & ROXI_CLASSES)
        return ROXI_FIRSTS;
    if (what < ROXI_DURATION_KINDS)
        return what;
    const uint32_t call = what - ROXI_DURATION_KINDS;
    switch (roxi_tally_key(&b->d->calls, call) >> 32) {
    case ROXI_OF_OUTSIDE:
        return ROXI_OUTSIDE;
    case ROXI_OF_TURNS:
        return ROXI_TURNS;
    default:
        break;
    }
    const uint32_t class_name = locus_class(b, roxi_call_at(b->d, call).class_name);
    return class_name == ROXI_NONE ? ROXI_NONE : class_name + ROXI_DURATION_KINDS;
}

/* The locus of a new item. ROXI_NONE: memory ran out. */
static uint32_t locus_of(struct roxi_building *b, uint32_t member, uint32_t what)
{
    const uint32_t about = locus_about(b, what);
    return about == ROXI_NONE ? ROXI_NONE
                              : roxi_tally_add(&b->d->loci, roxi_pair(member, about), 0);
}

/* Makes room for an item that is new. */
static int take_item(struct roxi_building *b, uint32_t item, uint32_t member, uint32_t what)
{
    uint64_t *sum = ix_grow_zeroed(b->sum, &b->sum_cap, (size_t)item + 1, sizeof *sum);
    if (!sum)
        return -1;
    b->sum = sum;
    uint64_t *within = ix_grow_zeroed(b->within, &b->within_cap, (size_t)item + 1, sizeof *within);
    if (!within)
        return -1;
    b->within = within;
    uint32_t *loci = ix_grow(b->d->locus_of, &b->locus_cap, (size_t)item + 1, sizeof *loci);
    if (!loci)
        return -1;
    b->d->locus_of = loci;
    return (loci[item] = locus_of(b, member, what)) == ROXI_NONE ? -1 : 0;
}

/* The item's number; ROXI_NONE: memory ran out. */
static uint32_t add(struct roxi_building *b, uint32_t member, uint32_t what, uint64_t packets)
{
    const size_t items = b->d->items.n;
    const uint32_t item = roxi_tally_add(&b->d->items, roxi_pair(member, what), 0);
    if (item == ROXI_NONE || (item == items && take_item(b, item, member, what) != 0))
        return ROXI_NONE;
    if (!b->sum[item] && ix_append(b->touched, b->touched_count, b->touched_cap, item) != 0)
        return ROXI_NONE;
    if (what < ROXI_CLASSES)
        b->sum[item] += packets;
    else if (packets > b->sum[item])
        b->sum[item] = packets;
    return item;
}

int roxi_building_add(struct roxi_building *b, uint32_t member, uint32_t what, uint64_t packets)
{
    return add(b, member, what, packets) == ROXI_NONE ? -1 : 0;
}

/* Adds to the item that is about a key of a tally of the durations': its number + `base`. */
int roxi_building_add_key(struct roxi_building *b, uint32_t member, struct roxi_tally *keys,
                          uint64_t key, uint32_t base, uint64_t packets)
{
    const uint32_t number = roxi_tally_add(keys, key, 0);
    return number == ROXI_NONE ? -1 : roxi_building_add(b, member, number + base, packets);
}

/* ROXI_NONE: memory ran out. */
uint32_t roxi_building_member(struct roxi_building *b, uint32_t role, uint32_t node)
{
    return roxi_tally_add(&b->d->members, roxi_pair(role, node), 0);
}

/* What an item is about that is the longest stay in the class of a call. ROXI_NONE: memory ran out.
 */
static uint32_t stay_in(struct roxi_building *b, uint32_t call)
{
    uint32_t *stays = ix_grow_zeroed(b->stay_in, &b->stay_in_cap, (size_t)call + 1, sizeof *stays);
    if (!stays)
        return ROXI_NONE;
    b->stay_in = stays;
    if (!stays[call]) {
        const uint32_t class_name = locus_class(b, roxi_call_at(b->d, call).class_name);
        const uint32_t stay =
            class_name == ROXI_NONE
                ? ROXI_NONE
                : roxi_tally_add(&b->d->stays, roxi_pair(ROXI_NONE, class_name), 0);
        if (stay == ROXI_NONE)
            return ROXI_NONE;
        stays[call] = stay + 1;
    }
    return stays[call] - 1 + ROXI_STAYS;
}

/* Adds the longest stay of a thread in a stack. */
static int add_stay(struct roxi_building *b, uint32_t member, uint32_t template,
                    const struct roxi_item *item)
{
    const struct roxi_stack_calls calls = b->calls_of[item->stack];
    uint32_t before = ROXI_NONE;
    for (uint32_t k = 0; k < calls.count; k++) {
        const uint32_t what = stay_in(b, b->list[calls.from + k]);
        if (what == ROXI_NONE ||
            (what != before && roxi_building_add(b, member, what, item->longest) != 0))
            return -1;
        before = what;
    }
    return calls.count
               ? 0
               : roxi_building_add_key(b, member, &b->d->stays, roxi_pair(template, item->stack),
                                       ROXI_STAYS, item->longest);
}

/* Adds threads' packets in a stack. */
static int add_stack(struct roxi_building *b, uint32_t member, uint32_t template,
                     const struct roxi_item *x)
{
    if (list_calls(b, x->stack) != 0)
        return -1;
    const struct roxi_stack_calls calls = b->calls_of[x->stack];
    for (uint32_t k = 0; k < calls.count; k++) {
        const uint32_t item =
            add(b, member, b->list[calls.from + k] + ROXI_DURATION_KINDS, x->count);
        if (item == ROXI_NONE)
            return -1;
        b->within[item] += x->packets;
    }
    return calls.count
               ? 0
               : roxi_building_add_key(b, member, &b->d->calls,
                                       roxi_pair(ROXI_OF_OUTSIDE, template), ROXI_DURATION_KINDS,
                                       roxi_building_packets(ROXI_OUTSIDE, x->count));
}

static int add_stacks(struct roxi_building *b, const struct roxi_profile *x)
{
    uint32_t group = ROXI_NONE, member = ROXI_NONE, template = 0;
    for (size_t i = 0; i < x->count; i++) {
        const struct roxi_item *item = &x->items[i];
        if (item->group != group) {
            const struct roxi_place place = roxi_profiles_place(b->d->profiles, item->group);
            group = item->group;
            template = place.template;
            member = roxi_building_member(b, place.role, place.node);
        }
        if (member == ROXI_NONE || add_stack(b, member, template, item) != 0 ||
            (item->longest && add_stay(b, member, template, item) != 0))
            return -1;
    }
    return 0;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* How long a call was. What many threads do at one packet is one event: no more of them count than
 * it lasts packets. */
static uint64_t duration(const struct roxi_building *b, uint32_t item)
{
    const uint64_t sum = b->sum[item], within = b->within[item];
    return within && within < sum / within ? within * within : sum;
}

/* Moves the sums of a run to the list of all. */
static int keep(struct roxi_building *b, size_t run)
{
    struct roxi_durations *d = b->d;
    struct roxi_duration *all =
        ix_grow(d->all, &b->all_cap, b->all + b->touched_count + 1, sizeof *all);
    if (!all)
        return -1;
    d->all = all;
    if (b->touched_count)
        qsort(b->touched, b->touched_count, sizeof *b->touched, by_number);
    for (size_t i = 0; i < b->touched_count; i++) {
        const uint32_t item = b->touched[i];
        all[b->all++] = (struct roxi_duration){item, roxi_capped(duration(b, item))};
        b->sum[item] = b->within[item] = 0;
    }
    b->touched_count = 0;
    d->first[run + 1] = b->all;
    return 0;
}

static int read_runs(struct roxi_building *b)
{
    const struct roxi_profiles *p = b->d->profiles;
    for (size_t i = 0; i < p->count; i++)
        if (roxi_interrupted() || add_stacks(b, &p->executions[i]) != 0 ||
            roxi_building_add_jvms(b, &p->executions[i]) != 0 || keep(b, i) != 0)
            return -1;
    return 0;
}

/* ---- classes of members ---- */

static int list_classes(struct roxi_durations *d)
{
    size_t *first = calloc(d->members.n + 2, sizeof *first);
    d->first_class = first;
    d->classes_of = calloc(d->loci.n + 1, sizeof *d->classes_of);
    if (!first || !d->classes_of)
        return -1;
    /* first[m + 2] counts those of m; then first[m + 1] is where its next one goes. */
    for (uint32_t l = 0; l < d->loci.n; l++) {
        const struct roxi_locus locus = roxi_durations_locus(d, l);
        first[locus.member + 2] += locus.class_name != ROXI_NONE;
    }
    for (size_t m = 2; m < d->members.n + 2; m++)
        first[m] += first[m - 1];
    for (uint32_t l = 0; l < d->loci.n; l++) {
        const struct roxi_locus locus = roxi_durations_locus(d, l);
        if (locus.class_name != ROXI_NONE)
            d->classes_of[first[locus.member + 1]++] = locus.class_name;
    }
    for (size_t m = 0; m < d->members.n; m++)
        if (first[m + 1] > first[m])
            qsort(d->classes_of + first[m], first[m + 1] - first[m], sizeof *d->classes_of,
                  by_number);
    return 0;
}

/* ---- the whole ---- */

static void release(struct roxi_building *b)
{
    roxi_lengths_free(&b->lengths);
    roxi_rare_free(&b->rare);
    free(b->calls_of);
    free(b->method_of);
    free(b->frames);
    free(b->list);
    free(b->met);
    free(b->stay_in);
    free(b->sum);
    free(b->within);
    free(b->touched);
}

struct roxi_durations *roxi_durations_new(const struct roxi_profiles *p)
{
    const struct roxi_symbols_count n = roxi_symbols_count(p->symbols);
    struct roxi_durations *d = calloc(1, sizeof *d);
    struct roxi_building b = {.d = d,
                              .symbols = p->symbols,
                              .calls_of = calloc(n.stacks + 1, sizeof *b.calls_of),
                              .method_of = calloc(n.frames + 1, sizeof *b.method_of),
                              .frames =
                                  calloc(roxi_symbols_deepest(p->symbols) + 1, sizeof *b.frames)};
    bool made = d && b.calls_of && b.method_of && b.frames &&
                roxi_lengths_make(&b.lengths, p) == 0 && roxi_rare_count(&b.rare, p, NULL) == 0;
    if (d) {
        d->profiles = p;
        d->classes = roxi_symbols_new();
        d->first = calloc(p->count + 1, sizeof *d->first);
        made = made && d->classes && d->first && read_runs(&b) == 0 && list_classes(d) == 0;
    }
    release(&b);
    if (!made) {
        roxi_durations_free(d);
        return NULL;
    }
    return d;
}
