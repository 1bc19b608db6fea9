/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/explain/meanwhile.h"

#include <stdlib.h>

#include "roxi/base/platform.h"
#include "roxi/rank/generated.h"
#include "roxi/rank/words.h"

enum { LOOKED_AT = 64 }; /* methods of a call stack, the innermost ones: recursion may be deep */

/* ---- contexts ---- */

static bool is_own(const struct roxi_symbols *s, struct roxi_frame f)
{
    const char *class_name = roxi_symbols_text(s, f.class_name);
    return !roxi_is_platform(class_name) &&
           !roxi_is_generated(class_name, roxi_symbols_text(s, f.method));
}

/* Moves to the next method of the application that somebody wrote. False: there is none. */
static bool next_own(const struct roxi_symbols *s, uint32_t *stack, struct roxi_frame *f)
{
    while (*stack) {
        const struct roxi_stack at = roxi_symbols_stack_at(s, *stack);
        *f = roxi_symbols_frame_at(s, at.frame);
        *stack = at.parent;
        if (is_own(s, *f))
            return true;
    }
    return false;
}

bool roxi_context_is_one(const struct roxi_profiles *p, uint32_t stack)
{
    struct roxi_frame f;
    return next_own(p->symbols, &stack, &f);
}

int roxi_context_open(struct roxi_context *c, const struct roxi_profiles *p, struct roxi_member who,
                      uint32_t stack)
{
    *c = (struct roxi_context){.profiles = p, .who = who, .stack = stack};
    c->same = calloc(roxi_symbols_count(p->symbols).stacks + (size_t)1, sizeof *c->same);
    return c->same ? 0 : -1;
}

void roxi_context_close(struct roxi_context *c)
{
    free(c->same);
}

static bool have_same_methods(const struct roxi_symbols *s, uint32_t a, uint32_t b)
{
    for (;;) {
        struct roxi_frame x = {0}, y = {0};
        const bool more = next_own(s, &a, &x);
        if (next_own(s, &b, &y) != more)
            return false;
        if (!more)
            return true;
        if (x.class_name != y.class_name || x.method != y.method)
            return false;
    }
}

static struct roxi_member member_of(const struct roxi_context *c, const struct roxi_span *span)
{
    return roxi_member_at(roxi_profiles_place(c->profiles, span->group));
}

/* Is it a thread that waits in the context? */
static bool waits_there(struct roxi_context *c, const struct roxi_span *span)
{
    signed char *same = &c->same[span->stack];
    if (!*same)
        *same = have_same_methods(c->profiles->symbols, c->stack, span->stack) ? 1 : -1;
    return *same > 0 && roxi_same_member(member_of(c, span), c->who);
}

/* ---- the packets of a run at which somebody waits ---- */

struct marks {
    const struct roxi_history *history;
    uint32_t *before; /* [i]: how many of the first i packets are marked; owned */
};

static uint32_t marked(const struct marks *m, uint64_t first, uint64_t last)
{
    return m->before[roxi_history_before(m->history, last + 1)] -
           m->before[roxi_history_before(m->history, first)];
}

/* To be closed if it returns 0. */
static int open_marks(struct marks *m, struct roxi_context *c, const struct roxi_profile *run,
                      uint64_t from)
{
    const struct roxi_history *h = &run->history;
    uint32_t *waiting = calloc(h->moment_count + 2, sizeof *waiting); /* changes of their number */
    *m = (struct marks){h, calloc(h->moment_count + 1, sizeof *m->before)};
    if (!waiting || !m->before) {
        free(waiting);
        free(m->before);
        return -1;
    }
    for (size_t i = 0; i < h->count; i++) {
        const struct roxi_span *span = &h->spans[i];
        if (span->last < from || !waits_there(c, span))
            continue;
        waiting[roxi_history_before(h, span->first > from ? span->first : from)]++;
        waiting[roxi_history_before(h, span->last + 1)]--;
    }
    uint32_t threads = 0;
    for (size_t i = 0; i < h->moment_count; i++) {
        threads += waiting[i];
        m->before[i + 1] = m->before[i] + (threads != 0);
    }
    free(waiting);
    return 0;
}

static void close_marks(struct marks *m)
{
    free(m->before);
}

/* ---- what others do ---- */

static int add_span(struct roxi_meanwhile *m, const struct roxi_context *c,
                    const struct roxi_span *span, uint32_t during)
{
    const struct roxi_member who = member_of(c, span);
    const uint32_t member = roxi_tally_add(&m->members, roxi_pair(who.role, who.node), 0);
    const uint64_t key = roxi_pair(member, span->stack);
    return member == ROXI_NONE || roxi_tally_add(&m->stacks, key, during) == ROXI_NONE ||
                   roxi_tally_add(&m->stacks_always, key, span->packets) == ROXI_NONE
               ? -1
               : 0;
}

int roxi_meanwhile_add(struct roxi_meanwhile *m, struct roxi_context *c,
                       const struct roxi_profile *run)
{
    struct marks marks;
    if (open_marks(&marks, c, run, 0) != 0)
        return -1;
    int result = 0;
    for (size_t i = 0; i < run->history.count && result == 0; i++) {
        const struct roxi_span *span = &run->history.spans[i];
        if (!waits_there(c, span))
            result = add_span(m, c, span, marked(&marks, span->first, span->last));
    }
    m->waits += marks.before[run->history.moment_count];
    m->packets += run->history.moment_count;
    close_marks(&marks);
    return result;
}

/* Adds the packets of the stack to each method on it, once. */
static int add_methods(struct roxi_meanwhile *m, const struct roxi_symbols *s, size_t number)
{
    const uint64_t of = roxi_tally_key(&m->stacks, number);
    uint32_t known[LOOKED_AT], stack = (uint32_t)of;
    struct roxi_frame f;
    for (int count = 0; count < LOOKED_AT && next_own(s, &stack, &f);) {
        const uint32_t method = roxi_tally_add(&m->methods, roxi_pair(f.class_name, f.method), 0);
        const uint64_t key = roxi_pair((uint32_t)(of >> 32), method);
        int i = 0;
        while (i < count && known[i] != method)
            i++;
        if (i < count)
            continue;
        known[count++] = method;
        if (method == ROXI_NONE ||
            roxi_tally_add(&m->during, key, m->stacks.counts[number]) == ROXI_NONE ||
            roxi_tally_add(&m->always, key, m->stacks_always.counts[number]) == ROXI_NONE)
            return -1;
    }
    return 0;
}

int roxi_meanwhile_sum(struct roxi_meanwhile *m, const struct roxi_profiles *p)
{
    int result = 0;
    for (size_t i = 0; i < m->stacks.n && result == 0; i++)
        result = add_methods(m, p->symbols, i);
    return result;
}

void roxi_meanwhile_free(struct roxi_meanwhile *m)
{
    roxi_tally_free(&m->members);
    roxi_tally_free(&m->methods);
    roxi_tally_free(&m->during);
    roxi_tally_free(&m->always);
    roxi_tally_free(&m->stacks);
    roxi_tally_free(&m->stacks_always);
}

struct roxi_activity roxi_meanwhile_activity(const struct roxi_meanwhile *m, size_t number)
{
    const uint64_t key = roxi_tally_key(&m->during, number);
    const uint64_t member = roxi_tally_key(&m->members, (uint32_t)(key >> 32));
    const uint64_t method = roxi_tally_key(&m->methods, (uint32_t)key);
    return (struct roxi_activity){.who = {(uint32_t)(member >> 32), (uint32_t)member},
                                  .class_name = (uint32_t)(method >> 32),
                                  .method = (uint32_t)method};
}

uint32_t roxi_activity_depth(const struct roxi_profiles *p, const struct roxi_activity *a,
                             uint32_t stack)
{
    struct roxi_frame f;
    for (int i = 0; i < LOOKED_AT && next_own(p->symbols, &stack, &f); i++)
        if (f.class_name == a->class_name && f.method == a->method)
            return roxi_symbols_stack_at(p->symbols, stack).depth + 1;
    return 0;
}

uint32_t roxi_meanwhile_stack(const struct roxi_meanwhile *m, const struct roxi_profiles *p,
                              const struct roxi_activity *a)
{
    uint64_t most = 0;
    uint32_t best = 0;
    for (size_t i = 0; i < m->stacks.n; i++) {
        const uint64_t key = roxi_tally_key(&m->stacks, i);
        const uint64_t member = roxi_tally_key(&m->members, (uint32_t)(key >> 32));
        if (m->stacks.counts[i] > most && member == roxi_pair(a->who.role, a->who.node) &&
            roxi_activity_depth(p, a, (uint32_t)key)) {
            most = m->stacks.counts[i];
            best = (uint32_t)key;
        }
    }
    return best;
}

int roxi_meanwhile_see(struct roxi_seen *seen, struct roxi_context *c,
                       const struct roxi_profile *run, uint64_t from, const struct roxi_activity *a)
{
    struct marks marks;
    *seen = (struct roxi_seen){.thread = ROXI_NONE};
    if (open_marks(&marks, c, run, from) != 0)
        return -1;
    for (size_t i = 0; i < run->history.count; i++) {
        const struct roxi_span *span = &run->history.spans[i];
        if (!roxi_same_member(member_of(c, span), a->who) || waits_there(c, span) ||
            !roxi_activity_depth(c->profiles, a, span->stack))
            continue;
        const uint32_t during = marked(&marks, span->first, span->last);
        seen->during += during;
        if (during)
            seen->thread = roxi_profiles_place(c->profiles, span->group).template;
    }
    seen->waits = marks.before[run->history.moment_count];
    close_marks(&marks);
    return 0;
}
