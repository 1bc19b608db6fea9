#include "roxi/shares.h"

#include <stdlib.h>
#include <string.h>

#include "roxi/interrupt.h"
#include "roxi/kernel.h"

/* Doubles that the comparing of new executions may hold: 512 MiB. */
#define FRESH_CELLS ((size_t)64 << 20)
/* With more ranks than one, shares for each of them, so that all end at about the same time. */
enum { SHARES_A_RANK = 32 };
/* In a call to the other ranks. */
enum { HAS_FRESH = 1, CATCH_SIGNALS = 2 };

/* ---- the list ---- */

/* Group `number` of execution e: its items, and those of their stacks that no execution before had. */
static void measure_items(struct roxi_group_size *size, const struct roxi_profile *x, size_t begin,
                          size_t end, uint32_t number, uint32_t *seen)
{
    size->items += (double)(end - begin);
    size->members += end > begin;
    for (size_t i = begin; i < end; i++) {
        const uint32_t stack = x->items[i].stack;
        size->stacks += seen[stack] != number + 1;
        seen[stack] = number + 1;
    }
}

static uint32_t highest_stack(const struct roxi_profiles *p)
{
    uint32_t highest = 0;
    for (size_t e = 0; e < p->count; e++)
        for (size_t i = 0; i < p->executions[e].count; i++)
            if (p->executions[e].items[i].stack > highest)
                highest = p->executions[e].items[i].stack;
    return highest;
}

static int measure_groups(struct roxi_shares *s, const struct roxi_profiles *p)
{
    size_t *cursor = calloc(p->count + 1, sizeof *cursor);
    uint32_t *seen = calloc((size_t)highest_stack(p) + 1, sizeof *seen);
    s->group = calloc(s->groups + 1, sizeof *s->group);
    const int result = cursor && seen && s->group ? 0 : -1;
    for (uint32_t g = 0; g < s->groups && result == 0; g++) {
        for (size_t e = 0; e < p->count; e++) {
            const struct roxi_profile *x = &p->executions[e];
            const size_t begin = cursor[e];
            while (cursor[e] < x->count && x->items[cursor[e]].group == g)
                cursor[e]++;
            measure_items(&s->group[g], x, begin, cursor[e], g, seen);
            s->group[g].fresh += s->fresh && s->fresh[e] && cursor[e] > begin;
        }
        s->work += s->group[g].items * s->group[g].items;
    }
    free(cursor);
    free(seen);
    return result;
}

int roxi_shares_init(struct roxi_shares *s, const struct roxi_profiles *p,
                     const struct roxi_compare_options *options, bool exact)
{
    *s = (struct roxi_shares){.executions = p->count, .alone = !exact};
    pthread_mutex_init(&s->lock, NULL);
    s->message = calloc(p->count + 1, 1);
    if (!s->message)
        return -1;
    if (roxi_ranks_mine() != 0)
        return 0;
    s->fresh = options->fresh;
    s->groups = p->groups.n;
    s->checkpoint = options->checkpoint;
    if (s->checkpoint) {
        s->next = s->checkpoint->group;
        s->stack = s->checkpoint->stack;
    }
    if (measure_groups(s, p) != 0)
        return -1;
    s->share = roxi_ranks_count() == 1 ? s->work : s->work / SHARES_A_RANK / roxi_ranks_count();
    return 0;
}

void roxi_shares_free(struct roxi_shares *s)
{
    if (s->catching)
        roxi_interrupt_release();
    pthread_mutex_destroy(&s->lock);
    free(s->group);
    free(s->message);
}

/* Whether it pays to compute only what is new: of the same work as for the whole group, it takes the
 * new members' share twice, and memory for each of them. */
static bool few_fresh(const struct roxi_shares *s, const struct roxi_group_size *g)
{
    return s->fresh && g->fresh * 4 <= g->members && g->fresh * g->stacks <= FRESH_CELLS;
}

/* How many of a group's stacks make a share, in whole blocks. */
static size_t stacks_of(const struct roxi_shares *s, const struct roxi_group_size *g)
{
    const double stacks = s->share / (g->items * g->items) * (double)g->stacks;
    const size_t blocks = stacks < ROXI_SHARE_STACKS ? (size_t)(stacks / ROXI_LANES) + 1
                                                     : ROXI_SHARE_STACKS / ROXI_LANES;
    return blocks * ROXI_LANES < ROXI_SHARE_STACKS ? blocks * ROXI_LANES : ROXI_SHARE_STACKS;
}

/* The next share of the list, which has one. A group without stacks is one, too. */
static void cut(struct roxi_shares *s, struct roxi_share *share)
{
    const struct roxi_group_size *g = &s->group[s->next];
    *share = (struct roxi_share){.group = s->next, .from = s->stack, .to = g->stacks};
    share->whole = !s->alone && few_fresh(s, g);
    if (!s->alone && !share->whole && g->stacks - s->stack > stacks_of(s, g))
        share->to = s->stack + stacks_of(s, g);
    if (g->stacks)
        share->work =
            g->items * g->items * (double)(share->to - share->from) / (double)g->stacks;
    s->stack = share->to;
    if (s->stack >= g->stacks) {
        s->next++;
        s->stack = 0;
    }
}

static bool take(struct roxi_shares *s, struct roxi_share *share)
{
    /* Each round does something, however often it is interrupted. */
    s->over = s->over || s->next >= s->groups ||
              (s->begun && s->checkpoint && roxi_checkpoint_due(s->checkpoint));
    if (!s->over)
        cut(s, share);
    s->begun = true;
    return !s->over;
}

/* For another rank, in the thread that answers it. */
static bool take_for_other(void *user, bool interrupted, struct roxi_share *share)
{
    struct roxi_shares *s = user;
    if (interrupted)
        roxi_interrupt_note();
    pthread_mutex_lock(&s->lock);
    const bool more = !s->alone && take(s, share);
    if (more)
        s->elsewhere += share->work;
    pthread_mutex_unlock(&s->lock);
    return more;
}

bool roxi_shares_take(struct roxi_shares *s, struct roxi_share *share)
{
    if (roxi_ranks_mine() != 0)
        return roxi_ranks_ask(roxi_interrupted(), share);
    pthread_mutex_lock(&s->lock);
    const bool more = take(s, share);
    pthread_mutex_unlock(&s->lock);
    return more;
}

double roxi_shares_elsewhere(struct roxi_shares *s)
{
    pthread_mutex_lock(&s->lock);
    const double work = s->elsewhere;
    s->elsewhere = 0;
    pthread_mutex_unlock(&s->lock);
    return work;
}

/* ---- rounds ---- */

static int join_round(struct roxi_shares *s)
{
    if (!roxi_ranks_called(s->message, s->executions + 1))
        return 0;
    s->fresh = s->message[0] & HAS_FRESH ? (const bool *)(s->message + 1) : NULL;
    if (s->message[0] & CATCH_SIGNALS && !s->catching) {
        roxi_interrupt_catch();
        s->catching = true;
    }
    return 1;
}

int roxi_shares_open(struct roxi_shares *s, struct ix_error *err)
{
    if (roxi_ranks_mine() != 0)
        return join_round(s);
    if (s->next >= s->groups)
        return 0;
    s->begun = s->over = false;
    s->message[0] = (unsigned char)((s->fresh ? HAS_FRESH : 0) | (s->checkpoint ? CATCH_SIGNALS : 0));
    if (s->fresh)
        memcpy(s->message + 1, s->fresh, s->executions);
    roxi_ranks_call(s->message, s->executions + 1);
    return roxi_ranks_serve(take_for_other, s, err) == 0 ? 1 : -1;
}

void roxi_shares_close(struct roxi_shares *s, struct roxi_matrix *out, bool failed)
{
    (void)s;
    const size_t cells = out->n * out->n;
    if (roxi_ranks_mine() == 0)
        roxi_ranks_served(failed);
    if (failed)
        return;
    roxi_ranks_sum(out->cells, cells);
    if (roxi_ranks_mine() != 0)
        memset(out->cells, 0, cells * sizeof *out->cells);
}
