/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/durations.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/interrupt.h"
#include "roxi/base/platform.h"
#include "roxi/rank/lengths.h"
#include "roxi/rank/rare.h"
#include "schema/base/grow.h"

/* Packets that a JVM answers at least if it does not just live for a moment. */
enum { REGULAR_PACKETS = 10 };
/* In `calls`, in place of a method's number: threads outside of calls, and turns of threads. */
#define OF_OUTSIDE ROXI_NONE
#define OF_TURNS (ROXI_NONE - 1)

/* The calls of a stack: where they are in the list. */
struct calls {
    uint32_t from, count;
    bool known;
};

struct building {
    struct roxi_durations *d;
    const struct roxi_symbols *symbols;
    struct roxi_lengths lengths;
    struct roxi_rare rare;
    struct calls *calls_of; /* by stack; this and the following are owned */
    uint32_t *method_of;    /* by frame: number + 1, 0: not known yet */
    uint32_t *frames;       /* of one stack */
    uint32_t *list;         /* of calls, stack after stack */
    size_t listed, list_cap;
    uint32_t *met; /* by call: the last stack that it was listed for, + 1 */
    size_t met_cap;
    uint32_t *stay_in; /* by call: the number of its class's stays + 1; 0: not known yet */
    size_t stay_in_cap;
    uint64_t *sum;     /* by item, of the run being read; of a stay the longest one */
    uint32_t *touched; /* its items */
    size_t touched_count, sum_cap, touched_cap, locus_cap, all, all_cap;
};

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

static uint32_t locus_class(struct building *b, uint32_t class_name)
{
    const char *text = roxi_symbols_text(b->symbols, class_name);
    return roxi_symbols_string(b->d->classes, text, roxi_top_level(text));
}

/* ---- calls ---- */

/* ROXI_NONE: memory ran out. */
static uint32_t method_of(struct building *b, uint32_t frame)
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
static int list_call(struct building *b, uint32_t stack, uint32_t method, uint32_t called)
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

static int list_calls(struct building *b, uint32_t stack)
{
    const uint32_t depth = roxi_symbols_stack_at(b->symbols, stack).depth;
    struct calls *calls = &b->calls_of[stack];
    if (calls->known)
        return 0;
    *calls = (struct calls){.from = (uint32_t)b->listed, .known = true};
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

static struct roxi_call call_at(const struct roxi_durations *d, uint32_t call)
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

static struct roxi_stay stay_at(const struct roxi_durations *d, uint32_t stay)
{
    const uint64_t key = roxi_tally_key(&d->stays, stay);
    if (key >> 32 == ROXI_NONE)
        return (struct roxi_stay){.class_name = (uint32_t)key};
    return (struct roxi_stay){ROXI_NONE, (uint32_t)(key >> 32), (uint32_t)key};
}

/* What a locus is of that has an item that is about `what`: a kind, or a class's number + kinds.
 * ROXI_NONE: memory ran out. */
static uint32_t locus_about(struct building *b, uint32_t what)
{
    if (what & ROXI_STAYS) {
        const struct roxi_stay stay = stay_at(b->d, what - ROXI_STAYS);
        return stay.class_name == ROXI_NONE ? ROXI_OUTSIDE : stay.class_name + ROXI_DURATION_KINDS;
    }
    if (what & ROXI_CLASSES)
        return ROXI_FIRSTS;
    if (what < ROXI_DURATION_KINDS)
        return what;
    const uint32_t call = what - ROXI_DURATION_KINDS;
    switch (roxi_tally_key(&b->d->calls, call) >> 32) {
    case OF_OUTSIDE:
        return ROXI_OUTSIDE;
    case OF_TURNS:
        return ROXI_TURNS;
    default:
        break;
    }
    const uint32_t class_name = locus_class(b, call_at(b->d, call).class_name);
    return class_name == ROXI_NONE ? ROXI_NONE : class_name + ROXI_DURATION_KINDS;
}

/* The locus of a new item. ROXI_NONE: memory ran out. */
static uint32_t locus_of(struct building *b, uint32_t member, uint32_t what)
{
    const uint32_t about = locus_about(b, what);
    return about == ROXI_NONE ? ROXI_NONE
                              : roxi_tally_add(&b->d->loci, roxi_pair(member, about), 0);
}

/* Makes room for an item that is new. */
static int take_item(struct building *b, uint32_t item, uint32_t member, uint32_t what)
{
    uint64_t *sum = ix_grow_zeroed(b->sum, &b->sum_cap, (size_t)item + 1, sizeof *sum);
    if (!sum)
        return -1;
    b->sum = sum;
    uint32_t *loci = ix_grow(b->d->locus_of, &b->locus_cap, (size_t)item + 1, sizeof *loci);
    if (!loci)
        return -1;
    b->d->locus_of = loci;
    return (loci[item] = locus_of(b, member, what)) == ROXI_NONE ? -1 : 0;
}

static int add(struct building *b, uint32_t member, uint32_t what, uint64_t packets)
{
    const size_t items = b->d->items.n;
    const uint32_t item = roxi_tally_add(&b->d->items, roxi_pair(member, what), 0);
    if (item == ROXI_NONE || (item == items && take_item(b, item, member, what) != 0))
        return -1;
    if (!b->sum[item] && ix_append(b->touched, b->touched_count, b->touched_cap, item) != 0)
        return -1;
    if (what < ROXI_CLASSES)
        b->sum[item] += packets;
    else if (packets > b->sum[item])
        b->sum[item] = packets;
    return 0;
}

/* Adds to the item that is about a key of a tally of the durations': its number + `base`. */
static int add_key(struct building *b, uint32_t member, struct roxi_tally *keys, uint64_t key,
                   uint32_t base, uint64_t packets)
{
    const uint32_t number = roxi_tally_add(keys, key, 0);
    return number == ROXI_NONE ? -1 : add(b, member, number + base, packets);
}

/* ROXI_NONE: memory ran out. */
static uint32_t member_of(struct building *b, uint32_t role, uint32_t node)
{
    return roxi_tally_add(&b->d->members, roxi_pair(role, node), 0);
}

/* What an item is about that is the longest stay in the class of a call. ROXI_NONE: memory ran out.
 */
static uint32_t stay_in(struct building *b, uint32_t call)
{
    uint32_t *stays = ix_grow_zeroed(b->stay_in, &b->stay_in_cap, (size_t)call + 1, sizeof *stays);
    if (!stays)
        return ROXI_NONE;
    b->stay_in = stays;
    if (!stays[call]) {
        const uint32_t class_name = locus_class(b, call_at(b->d, call).class_name);
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
static int add_stay(struct building *b, uint32_t member, uint32_t template,
                    const struct roxi_item *item)
{
    const struct calls calls = b->calls_of[item->stack];
    uint32_t before = ROXI_NONE;
    for (uint32_t k = 0; k < calls.count; k++) {
        const uint32_t what = stay_in(b, b->list[calls.from + k]);
        if (what == ROXI_NONE || (what != before && add(b, member, what, item->longest) != 0))
            return -1;
        before = what;
    }
    return calls.count ? 0
                       : add_key(b, member, &b->d->stays, roxi_pair(template, item->stack),
                                 ROXI_STAYS, item->longest);
}

static uint64_t in_packets(enum roxi_duration_kind kind, uint64_t number)
{
    const uint32_t of_packet = roxi_traits[kind].of_packet;
    return number / of_packet + (number % of_packet != 0);
}

/* Adds threads' packets in a stack. */
static int add_stack(struct building *b, uint32_t member, uint32_t template, uint32_t stack,
                     uint64_t packets)
{
    if (list_calls(b, stack) != 0)
        return -1;
    const struct calls calls = b->calls_of[stack];
    for (uint32_t k = 0; k < calls.count; k++)
        if (add(b, member, b->list[calls.from + k] + ROXI_DURATION_KINDS, packets) != 0)
            return -1;
    return calls.count ? 0
                       : add_key(b, member, &b->d->calls, roxi_pair(OF_OUTSIDE, template),
                                 ROXI_DURATION_KINDS, in_packets(ROXI_OUTSIDE, packets));
}

static int add_stacks(struct building *b, const struct roxi_profile *x)
{
    uint32_t group = ROXI_NONE, member = ROXI_NONE, template = 0;
    for (size_t i = 0; i < x->count; i++) {
        const struct roxi_item *item = &x->items[i];
        if (item->group != group) {
            const struct roxi_place place = roxi_profiles_place(b->d->profiles, item->group);
            group = item->group;
            template = place.template;
            member = member_of(b, place.role, place.node);
        }
        if (member == ROXI_NONE || add_stack(b, member, template, item->stack, item->count) != 0 ||
            (item->longest && add_stay(b, member, template, item) != 0))
            return -1;
    }
    return 0;
}

/* A JVM that vanished before its first packet did not just end early if in most runs its role
 * answers many. */
static uint64_t bad_ends(const struct building *b, const struct roxi_participation *role)
{
    if (role->bad_ends || role->answered || !role->vanished)
        return role->bad_ends;
    return roxi_lengths_usual(&b->lengths, role->role) >= REGULAR_PACKETS ? role->vanished : 0;
}

/* Where others go on for longer than usual, a JVM that ended in an orderly way is not early for all
 * of that. */
static uint64_t early(const struct building *b, const struct roxi_participation *role)
{
    const double lacks = roxi_lengths_usual(&b->lengths, role->role) - (double)role->answered;
    if (role->bad_ends || role->vanished || (double)role->early <= lacks)
        return role->early;
    return lacks > 0 ? (uint64_t)lacks : 0;
}

static int add_jvms(struct building *b, const struct roxi_profile *x)
{
    for (size_t i = 0; i < x->role_count; i++) {
        const struct roxi_participation *role = &x->roles[i];
        const uint64_t packets[ROXI_DURATION_KINDS] = {[ROXI_ANSWERED] = role->answered,
                                                       [ROXI_LOST] = role->lost,
                                                       [ROXI_EARLY] = early(b, role),
                                                       [ROXI_BAD_END] = bad_ends(b, role) *
                                                                        ROXI_BAD_END_PACKETS};
        const uint32_t member = member_of(b, role->role, 0);
        if (member == ROXI_NONE)
            return -1;
        for (uint32_t kind = ROXI_ANSWERED; kind <= ROXI_BAD_END; kind++) {
            const bool unknown = kind == ROXI_EARLY && role->too_short;
            if ((packets[kind] || unknown) &&
                add(b, member, kind, unknown ? 0 : packets[kind]) != 0)
                return -1;
        }
    }
    return 0;
}

/* Who has opened a connection asks, and the other one answers: that has the last word while there
 * is nothing to ask. */
static uint32_t longest_owed(const struct roxi_use *u, uint32_t role)
{
    uint32_t longest = 0;
    for (size_t i = 0; i < u->talk_count; i++)
        if (u->talks[i].peer == role && !u->talks[i].accepted && u->talks[i].waits > longest)
            longest = u->talks[i].waits;
    return longest;
}

static int add_talks(struct building *b, const struct roxi_profile *x)
{
    const struct roxi_use *u = &x->use;
    for (size_t i = 0; i < x->role_count; i++) {
        const uint32_t role = x->roles[i].role, member = member_of(b, role, 0);
        uint64_t sent[2] = {0, 0}, opened = 0;
        uint32_t unread = 0;
        for (size_t k = 0; k < u->talk_count; k++) {
            const struct roxi_talk *talk = &u->talks[k];
            if (talk->role != role)
                continue;
            sent[talk->accepted] += talk->sent;
            opened += talk->accepted ? 0 : talk->connections;
            unread = talk->unread > unread ? talk->unread : unread;
        }
        const uint64_t packets[ROXI_DURATION_KINDS] = {
            [ROXI_OPENED] = opened,
            [ROXI_SENT_OUT] = in_packets(ROXI_SENT_OUT, sent[0]),
            [ROXI_SENT_BACK] = in_packets(ROXI_SENT_BACK, sent[1]),
            [ROXI_OWED] = longest_owed(u, role),
            [ROXI_UNREAD] = unread};
        for (uint32_t kind = ROXI_OPENED; kind <= ROXI_UNREAD; kind++)
            if (member == ROXI_NONE || (packets[kind] && add(b, member, kind, packets[kind]) != 0))
                return -1;
    }
    return 0;
}

/* Garbage collection makes them run, and when that is, is chance. */
static bool runs_by_chance(const char *thread)
{
    return strcmp(thread, "Common-Cleaner") == 0 || strcmp(thread, "Finalizer") == 0 ||
           strcmp(thread, "Reference Handler") == 0;
}

static int add_turns(struct building *b, const struct roxi_profile *x)
{
    for (size_t i = 0; i < x->use.most_count; i++) {
        const struct roxi_most *most = &x->use.most[i];
        if (!most->turns)
            continue;
        const struct roxi_place place = roxi_profiles_place(b->d->profiles, most->group);
        if (runs_by_chance(roxi_symbols_text(b->symbols, place.template)))
            continue;
        const uint32_t member = member_of(b, place.role, place.node);
        if (member == ROXI_NONE ||
            add_key(b, member, &b->d->calls, roxi_pair(OF_TURNS, place.template),
                    ROXI_DURATION_KINDS, in_packets(ROXI_TURNS, most->turns)) != 0)
            return -1;
    }
    return 0;
}

static int add_garbage(struct building *b, const struct roxi_profile *x)
{
    for (size_t i = 0; i < x->use.process_count; i++) {
        const struct roxi_process_use *process = &x->use.processes[i];
        const uint32_t member = member_of(b, process->role, 0);
        if (member == ROXI_NONE ||
            (process->collecting &&
             add(b, member, ROXI_GARBAGE, in_packets(ROXI_GARBAGE, process->collecting)) != 0))
            return -1;
    }
    return 0;
}

static int add_covered(struct building *b, const struct roxi_profile *x)
{
    const struct roxi_use *u = &x->use;
    for (size_t i = 0, to; i < u->covered_count; i = to) {
        const uint32_t role = u->covered[i].role, member = member_of(b, role, 0);
        double classes;
        to = roxi_rare_classes(&b->rare, b->symbols, u, i, &classes);
        const uint64_t packets = (uint64_t)(ROXI_COVERED_PACKETS * classes + 0.5);
        if (to == i || member == ROXI_NONE ||
            (packets && add(b, member, ROXI_COVERED, packets) != 0))
            return -1;
    }
    return 0;
}

static int add_firsts(struct building *b, const struct roxi_profile *x)
{
    const struct roxi_use *u = &x->use;
    const uint32_t nobody = u->first_count ? member_of(b, 0, 0) : 0;
    int result = nobody == ROXI_NONE ? -1 : 0;
    for (size_t i = 0; i < u->first_count && result == 0; i++)
        result = add(b, nobody, u->firsts[i].class_name + ROXI_CLASSES, 1);
    return result;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Moves the sums of a run to the list of all. */
static int keep(struct building *b, size_t run)
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
        all[b->all++] = (struct roxi_duration){item, roxi_capped(b->sum[item])};
        b->sum[item] = 0;
    }
    b->touched_count = 0;
    d->first[run + 1] = b->all;
    return 0;
}

static int read_runs(struct building *b)
{
    const struct roxi_profiles *p = b->d->profiles;
    for (size_t i = 0; i < p->count; i++)
        if (roxi_interrupted() || add_stacks(b, &p->executions[i]) != 0 ||
            add_jvms(b, &p->executions[i]) != 0 || add_turns(b, &p->executions[i]) != 0 ||
            add_talks(b, &p->executions[i]) != 0 || add_garbage(b, &p->executions[i]) != 0 ||
            add_covered(b, &p->executions[i]) != 0 || add_firsts(b, &p->executions[i]) != 0 ||
            keep(b, i) != 0)
            return -1;
    return 0;
}

/* ---- the whole ---- */

static void release(struct building *b)
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
    free(b->touched);
}

struct roxi_durations *roxi_durations_new(const struct roxi_profiles *p)
{
    const struct roxi_symbols_count n = roxi_symbols_count(p->symbols);
    struct roxi_durations *d = calloc(1, sizeof *d);
    struct building b = {.d = d,
                         .symbols = p->symbols,
                         .calls_of = calloc(n.stacks + 1, sizeof *b.calls_of),
                         .method_of = calloc(n.frames + 1, sizeof *b.method_of),
                         .frames = calloc(roxi_symbols_deepest(p->symbols) + 1, sizeof *b.frames)};
    bool made = d && b.calls_of && b.method_of && b.frames &&
                roxi_lengths_make(&b.lengths, p) == 0 && roxi_rare_count(&b.rare, p, NULL) == 0;
    if (d) {
        d->profiles = p;
        d->classes = roxi_symbols_new();
        d->first = calloc(p->count + 1, sizeof *d->first);
        made = made && d->classes && d->first && read_runs(&b) == 0;
    }
    release(&b);
    if (!made) {
        roxi_durations_free(d);
        return NULL;
    }
    return d;
}

void roxi_durations_free(struct roxi_durations *d)
{
    if (!d)
        return;
    free(d->all);
    free(d->first);
    free(d->locus_of);
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
    return call_at(d, what - ROXI_DURATION_KINDS);
}

uint32_t roxi_durations_template(const struct roxi_durations *d, uint32_t item)
{
    const uint32_t what = (uint32_t)roxi_tally_key(&d->items, item);
    if (what & ROXI_STAYS)
        return stay_at(d, what - ROXI_STAYS).template;
    return (uint32_t)roxi_tally_key(&d->calls, what - ROXI_DURATION_KINDS);
}

uint32_t roxi_durations_class(const struct roxi_durations *d, uint32_t item)
{
    return (uint32_t)roxi_tally_key(&d->items, item) - ROXI_CLASSES;
}

struct roxi_stay roxi_durations_stay(const struct roxi_durations *d, uint32_t item)
{
    return stay_at(d, (uint32_t)roxi_tally_key(&d->items, item) - ROXI_STAYS);
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
