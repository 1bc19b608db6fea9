/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/use.h"

#include <stdlib.h>

#include "roxi/campaign/symbols.h"
#include "schema/base/grow.h"

/* Exceptions that are kept before they are added up. */
#define FULL 4096u

void roxi_use_free(struct roxi_use *u)
{
    free(u->most);
    free(u->processes);
    free(u->thrown);
    free(u->firsts);
    free(u->started);
    free(u->called);
    free(u->covered);
    free(u->executed);
    free(u->talks);
    *u = (struct roxi_use){0};
}

int roxi_use_add_most(struct roxi_use *u, struct roxi_most most)
{
    return ix_append(u->most, u->most_count, u->most_cap, most);
}

static uint64_t greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

int roxi_use_add_process(struct roxi_use *u, const struct roxi_process_use *process)
{
    for (size_t i = 0; i < u->process_count; i++) {
        struct roxi_process_use *known = &u->processes[i];
        if (known->role != process->role)
            continue;
        known->megabytes = greater(known->megabytes, process->megabytes);
        known->files = greater(known->files, process->files);
        known->collecting = greater(known->collecting, process->collecting);
        known->collecting_ns = greater(known->collecting_ns, process->collecting_ns);
        return 0;
    }
    return ix_append(u->processes, u->process_count, u->process_cap, *process);
}

int roxi_use_add_talk(struct roxi_use *u, const struct roxi_talk *talk)
{
    struct roxi_talk *known = NULL;
    for (size_t i = 0; i < u->talk_count && !known; i++)
        if (u->talks[i].role == talk->role && u->talks[i].peer == talk->peer &&
            u->talks[i].accepted == talk->accepted)
            known = &u->talks[i];
    if (!known) {
        return ix_append(u->talks, u->talk_count, u->talk_cap, *talk);
    }
    known->connections += talk->connections;
    known->sent += talk->sent;
    if (talk->waits > known->waits) {
        known->waits = talk->waits;
        known->waits_from = talk->waits_from;
    }
    if (talk->unread > known->unread) {
        known->unread = talk->unread;
        known->unread_from = talk->unread_from;
    }
    return 0;
}

/* For one more. A long list is first put in order, which makes it shorter; so that this is not done
 * at each call, it grows if it stays long. */
static bool make_room(struct roxi_use *u, const size_t *count, const size_t *cap,
                      void (*order)(struct roxi_use *u),
                      bool (*grow)(struct roxi_use *u, size_t need))
{
    if (*count >= FULL && *count == *cap) {
        order(u);
        if (*count > *cap / 2 && !grow(u, *cap + 1))
            return false;
    }
    return grow(u, *count + 1);
}

static bool grow_thrown(struct roxi_use *u, size_t need)
{
    struct roxi_thrown *list = ix_grow(u->thrown, &u->thrown_cap, need, sizeof *list);
    u->thrown = list ? list : u->thrown;
    return list != NULL;
}

static int by_place(const void *a, const void *b)
{
    const struct roxi_thrown *x = a, *y = b;
    if (x->class_name != y->class_name)
        return x->class_name < y->class_name ? -1 : 1;
    if (x->stack != y->stack)
        return x->stack < y->stack ? -1 : 1;
    if (x->role != y->role)
        return x->role < y->role ? -1 : 1;
    if (x->packet != y->packet)
        return x->packet < y->packet ? -1 : 1;
    return (x->group > y->group) - (x->group < y->group);
}

static void order_thrown(struct roxi_use *u)
{
    size_t kept = 0;
    if (u->thrown_count)
        qsort(u->thrown, u->thrown_count, sizeof *u->thrown, by_place);
    for (size_t i = 0; i < u->thrown_count; i++) {
        const struct roxi_thrown *t = &u->thrown[i];
        struct roxi_thrown *last = kept ? &u->thrown[kept - 1] : NULL;
        if (last && last->class_name == t->class_name && last->stack == t->stack &&
            last->role == t->role)
            last->count += t->count;
        else
            u->thrown[kept++] = *t;
    }
    u->thrown_count = kept;
}

int roxi_use_add_thrown(struct roxi_use *u, const struct roxi_thrown *thrown)
{
    if (!make_room(u, &u->thrown_count, &u->thrown_cap, order_thrown, grow_thrown))
        return -1;
    u->thrown[u->thrown_count++] = *thrown;
    return 0;
}

const struct roxi_thrown *roxi_use_thrown(const struct roxi_use *u, uint32_t class_name,
                                          uint32_t stack, size_t *count)
{
    const struct roxi_thrown wanted = {.class_name = class_name, .stack = stack};
    size_t low = 0;
    for (size_t high = u->thrown_count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (by_place(&u->thrown[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (*count = 0; low + *count < u->thrown_count; ++*count)
        if (u->thrown[low + *count].class_name != class_name ||
            u->thrown[low + *count].stack != stack)
            break;
    return *count ? &u->thrown[low] : NULL;
}

static int by_time(const struct roxi_first *x, const struct roxi_first *y)
{
    if (x->packet != y->packet)
        return x->packet < y->packet ? -1 : 1;
    return (x->serial > y->serial) - (x->serial < y->serial);
}

static int by_class(const void *a, const void *b)
{
    const struct roxi_first *x = a, *y = b;
    if (x->class_name != y->class_name)
        return x->class_name < y->class_name ? -1 : 1;
    if (x->role != y->role)
        return x->role < y->role ? -1 : 1;
    if (x->stack != y->stack)
        return x->stack < y->stack ? -1 : 1;
    return by_time(x, y);
}

static void order_firsts(struct roxi_use *u)
{
    size_t kept = 0;
    if (u->first_count)
        qsort(u->firsts, u->first_count, sizeof *u->firsts, by_class);
    for (size_t i = 0; i < u->first_count; i++) {
        const struct roxi_first *last = kept ? &u->firsts[kept - 1] : NULL;
        if (!last || last->class_name != u->firsts[i].class_name ||
            last->role != u->firsts[i].role || last->stack != u->firsts[i].stack)
            u->firsts[kept++] = u->firsts[i];
    }
    u->first_count = kept;
}

static bool grow_firsts(struct roxi_use *u, size_t need)
{
    struct roxi_first *list = ix_grow(u->firsts, &u->first_cap, need, sizeof *list);
    u->firsts = list ? list : u->firsts;
    return list != NULL;
}

int roxi_use_add_first(struct roxi_use *u, const struct roxi_first *first)
{
    if (!make_room(u, &u->first_count, &u->first_cap, order_firsts, grow_firsts))
        return -1;
    u->firsts[u->first_count++] = *first;
    return 0;
}

const struct roxi_first *roxi_use_earliest(const struct roxi_use *u, uint32_t class_name)
{
    const struct roxi_first *earliest = NULL;
    size_t low = 0;
    for (size_t high = u->first_count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (u->firsts[middle].class_name < class_name)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < u->first_count && u->firsts[low].class_name == class_name; low++)
        if (!earliest || by_time(&u->firsts[low], earliest) < 0)
            earliest = &u->firsts[low];
    return earliest;
}

static int by_starter(const void *a, const void *b)
{
    const struct roxi_started *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return (x->stack > y->stack) - (x->stack < y->stack);
}

static void order_started(struct roxi_use *u)
{
    size_t kept = 0;
    if (u->started_count)
        qsort(u->started, u->started_count, sizeof *u->started, by_starter);
    for (size_t i = 0; i < u->started_count; i++) {
        struct roxi_started *last = kept ? &u->started[kept - 1] : NULL;
        if (last && by_starter(last, &u->started[i]) == 0)
            last->threads += u->started[i].threads;
        else
            u->started[kept++] = u->started[i];
    }
    u->started_count = kept;
}

static bool grow_started(struct roxi_use *u, size_t need)
{
    struct roxi_started *list = ix_grow(u->started, &u->started_cap, need, sizeof *list);
    u->started = list ? list : u->started;
    return list != NULL;
}

int roxi_use_add_started(struct roxi_use *u, const struct roxi_started *started)
{
    if (!make_room(u, &u->started_count, &u->started_cap, order_started, grow_started))
        return -1;
    u->started[u->started_count++] = *started;
    return 0;
}

static int by_method(const void *a, const void *b)
{
    const struct roxi_called *x = a, *y = b;
    if (x->role != y->role)
        return x->role < y->role ? -1 : 1;
    return (x->stack > y->stack) - (x->stack < y->stack);
}

static void order_called(struct roxi_use *u)
{
    size_t kept = 0;
    if (u->called_count)
        qsort(u->called, u->called_count, sizeof *u->called, by_method);
    for (size_t i = 0; i < u->called_count; i++) {
        struct roxi_called *last = kept ? &u->called[kept - 1] : NULL;
        if (last && by_method(last, &u->called[i]) == 0)
            *last = (struct roxi_called){last->role, last->stack,
                                         last->at_least || u->called[i].at_least,
                                         last->count + u->called[i].count};
        else
            u->called[kept++] = u->called[i];
    }
    u->called_count = kept;
}

static bool grow_called(struct roxi_use *u, size_t need)
{
    struct roxi_called *list = ix_grow(u->called, &u->called_cap, need, sizeof *list);
    u->called = list ? list : u->called;
    return list != NULL;
}

int roxi_use_add_called(struct roxi_use *u, const struct roxi_called *called)
{
    if (!make_room(u, &u->called_count, &u->called_cap, order_called, grow_called))
        return -1;
    u->called[u->called_count++] = *called;
    return 0;
}

static int by_block(const void *a, const void *b)
{
    const struct roxi_covered *x = a, *y = b;
    if (x->role != y->role)
        return x->role < y->role ? -1 : 1;
    if (x->stack != y->stack)
        return x->stack < y->stack ? -1 : 1;
    if (x->block != y->block)
        return x->block < y->block ? -1 : 1;
    return (x->packet > y->packet) - (x->packet < y->packet);
}

static void order_covered(struct roxi_use *u)
{
    size_t kept = 0;
    if (u->covered_count)
        qsort(u->covered, u->covered_count, sizeof *u->covered, by_block);
    for (size_t i = 0; i < u->covered_count; i++) {
        const struct roxi_covered *x = &u->covered[i], *last = &u->covered[kept - (kept > 0)];
        if (!kept || last->role != x->role || last->stack != x->stack || last->block != x->block)
            u->covered[kept++] = *x;
    }
    u->covered_count = kept;
}

static bool grow_covered(struct roxi_use *u, size_t need)
{
    struct roxi_covered *list = ix_grow(u->covered, &u->covered_cap, need, sizeof *list);
    u->covered = list ? list : u->covered;
    return list != NULL;
}

int roxi_use_add_covered(struct roxi_use *u, const struct roxi_covered *covered)
{
    if (!make_room(u, &u->covered_count, &u->covered_cap, order_covered, grow_covered))
        return -1;
    u->covered[u->covered_count++] = *covered;
    return 0;
}

static int by_executed(const void *a, const void *b)
{
    const struct roxi_executed *x = a, *y = b;
    if (x->role != y->role)
        return x->role < y->role ? -1 : 1;
    if (x->stack != y->stack)
        return x->stack < y->stack ? -1 : 1;
    return (x->block > y->block) - (x->block < y->block);
}

/* Both are of the same block, in two JVMs of a role. */
static void add_executed(struct roxi_executed *to, const struct roxi_executed *x)
{
    to->active = (uint32_t)greater(to->active, x->active);
    to->resumed = (uint32_t)greater(to->resumed, x->resumed);
    if (x->longest > to->longest) {
        to->longest = x->longest;
        to->longest_from = x->longest_from;
    }
    if (x->missed < to->missed || (x->missed == to->missed && x->missed_from >= to->missed_from))
        return;
    to->missed = x->missed;
    to->missed_from = x->missed_from;
}

static void order_executed(struct roxi_use *u)
{
    size_t kept = 0;
    if (u->executed_count)
        qsort(u->executed, u->executed_count, sizeof *u->executed, by_executed);
    for (size_t i = 0; i < u->executed_count; i++) {
        struct roxi_executed *last = &u->executed[kept - (kept > 0)];
        if (!kept || by_executed(last, &u->executed[i]) != 0)
            u->executed[kept++] = u->executed[i];
        else
            add_executed(last, &u->executed[i]);
    }
    u->executed_count = kept;
}

int roxi_use_add_executed(struct roxi_use *u, const struct roxi_executed *executed)
{
    return ix_append(u->executed, u->executed_count, u->executed_cap, *executed);
}

const struct roxi_executed *roxi_use_executed(const struct roxi_use *u, uint32_t role,
                                              uint32_t stack, uint32_t block)
{
    const struct roxi_executed wanted = {.role = role, .stack = stack, .block = block};
    return u->executed_count
               ? bsearch(&wanted, u->executed, u->executed_count, sizeof wanted, by_executed)
               : NULL;
}

uint32_t roxi_use_starter(const struct roxi_use *u, uint32_t group)
{
    uint64_t most = 0;
    uint32_t stack = 0;
    for (size_t i = 0; i < u->started_count; i++) {
        if (u->started[i].group != group || u->started[i].threads <= most)
            continue;
        most = u->started[i].threads;
        stack = u->started[i].stack;
    }
    return stack;
}

static int by_group(const void *a, const void *b)
{
    const struct roxi_most *x = a, *y = b;
    return (x->group > y->group) - (x->group < y->group);
}

static struct roxi_most both(const struct roxi_most *a, const struct roxi_most *b)
{
    return (struct roxi_most){.group = a->group,
                              .threads = (uint32_t)greater(a->threads, b->threads),
                              .gone = (uint32_t)greater(a->gone, b->gone),
                              .turns = a->turns + b->turns};
}

void roxi_use_order(struct roxi_use *u)
{
    size_t kept = 0;
    if (u->most_count)
        qsort(u->most, u->most_count, sizeof *u->most, by_group);
    for (size_t i = 0; i < u->most_count; i++) {
        struct roxi_most *last = kept ? &u->most[kept - 1] : NULL;
        if (!last || last->group != u->most[i].group)
            u->most[kept++] = u->most[i];
        else
            *last = both(last, &u->most[i]);
    }
    u->most_count = kept;
    order_thrown(u);
    order_firsts(u);
    order_started(u);
    order_called(u);
    order_covered(u);
    order_executed(u);
}

const struct roxi_most *roxi_use_most(const struct roxi_use *u, uint32_t group)
{
    const struct roxi_most wanted = {.group = group};
    return u->most_count ? bsearch(&wanted, u->most, u->most_count, sizeof wanted, by_group) : NULL;
}
