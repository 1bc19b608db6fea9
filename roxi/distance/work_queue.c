/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/distance/work_queue.h"

#include <stdlib.h>
#include <string.h>

#include "roxi/base/interrupt.h"
#include "roxi/distance/kernel.h"

/* The most doubles that comparing new runs may hold: 512 MiB. */
#define FRESH_CELLS ((size_t)64 << 20)
/* With more than one process, the number of items for each of them, enough for all to end at about
 * the same time. */
enum { ITEMS_A_PROCESS = 32 };
/* Flags in a call to the other processes. */
enum { HAS_FRESH = 1, CATCH_SIGNALS = 2 };

/* ---- the list ---- */

/* Group `number` of run e: its items, and those of them whose stacks no earlier run had. */
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

static int measure_groups(struct roxi_work_queue *s, const struct roxi_profiles *p)
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

int roxi_work_queue_init(struct roxi_work_queue *s, const struct roxi_profiles *p,
                         const bool *fresh, struct roxi_checkpoint *checkpoint, bool exact)
{
    *s = (struct roxi_work_queue){.executions = p->count, .alone = !exact};
    pthread_mutex_init(&s->lock, NULL);
    s->message = calloc(p->count + 1, 1);
    if (!s->message)
        return -1;
    if (roxi_mpi_process() != 0)
        return 0;
    s->fresh = fresh;
    s->groups = p->groups.n;
    s->checkpoint = checkpoint;
    if (checkpoint) {
        s->next = checkpoint->group;
        s->stack = checkpoint->stack;
    }
    if (measure_groups(s, p) != 0)
        return -1;
    s->item_work =
        roxi_mpi_processes() == 1 ? s->work : s->work / ITEMS_A_PROCESS / roxi_mpi_processes();
    return 0;
}

void roxi_work_queue_free(struct roxi_work_queue *s)
{
    if (s->catching)
        roxi_interrupt_release();
    pthread_mutex_destroy(&s->lock);
    free(s->group);
    free(s->message);
}

/* Whether computing only what is new pays: compared with the work for the complete group, it
 * takes twice the new members' share, and memory for each of them. */
static bool few_fresh(const struct roxi_work_queue *s, const struct roxi_group_size *g)
{
    return s->fresh && g->fresh * 4 <= g->members && g->fresh * g->stacks <= FRESH_CELLS;
}

/* How many of a group's stacks form an item, in complete blocks. */
static size_t stacks_of(const struct roxi_work_queue *s, const struct roxi_group_size *g)
{
    const double stacks = s->item_work / (g->items * g->items) * (double)g->stacks;
    const size_t blocks = stacks < ROXI_WORK_ITEM_STACKS ? (size_t)(stacks / ROXI_LANES) + 1
                                                         : ROXI_WORK_ITEM_STACKS / ROXI_LANES;
    return blocks * ROXI_LANES < ROXI_WORK_ITEM_STACKS ? blocks * ROXI_LANES
                                                       : ROXI_WORK_ITEM_STACKS;
}

/* Cuts the next item off the list, which must not be empty. A group without stacks also becomes
 * an item. */
static void cut(struct roxi_work_queue *s, struct roxi_work_item *item)
{
    const struct roxi_group_size *g = &s->group[s->next];
    *item = (struct roxi_work_item){.group = s->next, .from = s->stack, .to = g->stacks};
    item->whole = !s->alone && few_fresh(s, g);
    if (!s->alone && !item->whole && g->stacks - s->stack > stacks_of(s, g))
        item->to = s->stack + stacks_of(s, g);
    if (g->stacks)
        item->work = g->items * g->items * (double)(item->to - item->from) / (double)g->stacks;
    s->stack = item->to;
    if (s->stack >= g->stacks) {
        s->next++;
        s->stack = 0;
    }
}

static bool take(struct roxi_work_queue *s, struct roxi_work_item *item)
{
    /* Each round makes progress, however often it is interrupted. */
    s->over = s->over || s->next >= s->groups ||
              (s->begun && s->checkpoint && roxi_checkpoint_due(s->checkpoint));
    if (!s->over)
        cut(s, item);
    s->begun = true;
    return !s->over;
}

/* Called for another process, in the thread that answers it. */
static bool take_for_other(void *user, bool interrupted, struct roxi_work_item *item)
{
    struct roxi_work_queue *s = user;
    if (interrupted)
        roxi_interrupt_note();
    pthread_mutex_lock(&s->lock);
    const bool more = !s->alone && take(s, item);
    if (more)
        s->elsewhere += item->work;
    pthread_mutex_unlock(&s->lock);
    return more;
}

bool roxi_work_queue_take(struct roxi_work_queue *s, struct roxi_work_item *item)
{
    if (roxi_mpi_process() != 0)
        return roxi_mpi_ask(roxi_interrupted(), item);
    pthread_mutex_lock(&s->lock);
    const bool more = take(s, item);
    pthread_mutex_unlock(&s->lock);
    return more;
}

double roxi_work_queue_elsewhere(struct roxi_work_queue *s)
{
    pthread_mutex_lock(&s->lock);
    const double work = s->elsewhere;
    s->elsewhere = 0;
    pthread_mutex_unlock(&s->lock);
    return work;
}

/* ---- rounds ---- */

static int join_round(struct roxi_work_queue *s)
{
    if (!roxi_mpi_called(s->message, s->executions + 1))
        return 0;
    s->fresh = s->message[0] & HAS_FRESH ? (const bool *)(s->message + 1) : NULL;
    if (s->message[0] & CATCH_SIGNALS && !s->catching) {
        roxi_interrupt_catch();
        s->catching = true;
    }
    return 1;
}

int roxi_work_queue_open(struct roxi_work_queue *s, struct ix_error *err)
{
    if (roxi_mpi_process() != 0)
        return join_round(s);
    if (s->next >= s->groups)
        return 0;
    s->begun = s->over = false;
    s->message[0] =
        (unsigned char)((s->fresh ? HAS_FRESH : 0) | (s->checkpoint ? CATCH_SIGNALS : 0));
    if (s->fresh)
        memcpy(s->message + 1, s->fresh, s->executions);
    roxi_mpi_call(s->message, s->executions + 1);
    return roxi_mpi_serve(take_for_other, s, err) == 0 ? 1 : -1;
}

void roxi_work_queue_close(struct roxi_work_queue *s, struct roxi_matrix *out, bool failed)
{
    (void)s;
    const size_t cells = out->n * out->n;
    if (roxi_mpi_process() == 0)
        roxi_mpi_served(failed);
    if (failed)
        return;
    roxi_mpi_sum(out->cells, cells);
    if (roxi_mpi_process() != 0)
        memset(out->cells, 0, cells * sizeof *out->cells);
}
