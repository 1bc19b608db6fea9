/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/log_blocks.h"

#include <stdlib.h>

#include "roxi/base/capped.h"
#include "schema/base/grow.h"

void roxi_log_blocks_free(struct roxi_log_blocks *b)
{
    roxi_tally_free(&b->numbers);
    free(b->first);
    free(b->pauses);
    free(b->open);
    *b = (struct roxi_log_blocks){0};
}

int roxi_log_blocks_executed(struct roxi_log_blocks *b, uint32_t stack, uint32_t block,
                             uint64_t packet)
{
    const size_t known = b->numbers.n;
    const uint32_t number = roxi_tally_add(&b->numbers, roxi_pair(stack, block), 0);
    if (number == ROXI_NONE)
        return -1;
    uint64_t *first = ix_grow_zeroed(b->first, &b->first_cap, b->numbers.n, sizeof *first);
    b->first = first ? first : b->first;
    uint32_t *open = ix_grow_zeroed(b->open, &b->open_cap, b->numbers.n, sizeof *open);
    b->open = open ? open : b->open;
    if (!first || !open)
        return -1;
    if (number >= known)
        first[number] = packet;
    return 0;
}

int roxi_log_blocks_pause(struct roxi_log_blocks *b, uint32_t stack, uint32_t block,
                          uint64_t packet, uint64_t packets)
{
    const uint32_t known = ix_idmap_get(&b->numbers.numbers, roxi_pair(stack, block));
    b->tells_pauses = true;
    if (!known) /* its beginning is in a part that is gone */
        return 0;
    const uint32_t number = known - 1, open = b->open[number];
    if (open && !packets) {
        b->pauses[open - 1].resumed = packet;
        b->open[number] = 0;
    }
    if (open || !packets)
        return 0;
    const uint64_t from = packets < packet ? packet - packets + 1 : 1;
    const struct roxi_log_pause pause = {
        number, from > b->first[number] ? from : b->first[number] + 1, UINT64_MAX};
    if (ix_append(b->pauses, b->pause_count, b->pause_cap, pause) != 0)
        return -1;
    b->open[number] = (uint32_t)b->pause_count;
    return 0;
}

static int take_executed(struct roxi_log_blocks *b, struct roxi_log_symbols *symbols,
                         const struct ix_facts *facts, uint64_t packet, bool pauses, uint32_t role,
                         struct roxi_use *use)
{
    const bool lines = symbols->granularity == ROXI_LINES;
    int result = 0;
    for (size_t i = 0; i < facts->covered_count && result == 0; i++) {
        const uint32_t stack = roxi_log_symbols_covered(symbols, facts->covered[i].frame);
        const uint32_t block = lines ? facts->covered[i].block : 0;
        if (stack == ROXI_NONE)
            return -1;
        if (stack == ROXI_LEFT_OUT)
            continue;
        result = roxi_use_add_covered(
            use, &(struct roxi_covered){role, stack, block, roxi_capped(packet)});
        if (result == 0 && pauses)
            result = roxi_log_blocks_executed(b, stack, block, packet);
    }
    return result;
}

int roxi_log_blocks_take(struct roxi_log_blocks *b, struct roxi_log_symbols *symbols,
                         const struct ix_facts *facts, uint64_t packet, bool pauses, uint32_t role,
                         struct roxi_use *use)
{
    pauses = pauses && symbols->granularity == ROXI_LINES;
    const size_t paused = pauses ? facts->pause_count : 0;
    if (!facts->covered_count && !paused)
        return 0;
    int result = roxi_log_symbols_update(symbols);
    if (result == 0)
        result = take_executed(b, symbols, facts, packet, pauses, role, use);
    for (size_t i = 0; i < paused && result == 0; i++) {
        const struct ix_pause *pause = &facts->pauses[i];
        const uint32_t stack = roxi_log_symbols_covered(symbols, pause->frame);
        if (stack == ROXI_NONE)
            return -1;
        if (stack != ROXI_LEFT_OUT)
            result = roxi_log_blocks_pause(b, stack, pause->block, packet, pause->packets);
    }
    return result;
}

/* ---- a method ---- */

/* A block of the log, in the order of methods. */
struct placed {
    uint32_t class_name, method, descriptor;
    uint32_t number;
};

struct edge {
    uint64_t packet;
    int idle; /* 1: a block more is not executed from here on, -1: a block fewer */
};

/* A time in which no block of the method is executed. */
struct gap {
    uint64_t from, to;
    uint64_t before; /* packets of the gaps before it */
};

struct ending {
    const struct roxi_log_blocks *b;
    uint64_t last;
    struct placed *placed;         /* owned, as is the rest */
    struct roxi_log_pause *pauses; /* by block, and then as they came */
    size_t *begins;                /* by number of a block, and one more: where its pauses begin */
    struct edge *edges;
    struct gap *gaps;
    size_t gap_count;
};

static int by_method(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->class_name != y->class_name)
        return x->class_name < y->class_name ? -1 : 1;
    if (x->method != y->method)
        return x->method < y->method ? -1 : 1;
    if (x->descriptor != y->descriptor)
        return x->descriptor < y->descriptor ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static int by_packet(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    return (x->packet > y->packet) - (x->packet < y->packet);
}

/* The packet after the pause. */
static uint64_t end_of(const struct ending *e, const struct roxi_log_pause *pause)
{
    return pause->resumed <= e->last ? pause->resumed : e->last + 1;
}

static size_t list_edges(const struct ending *e, const struct placed *block, size_t n)
{
    const uint64_t first = e->b->first[block->number];
    e->edges[n++] = (struct edge){0, 1};
    e->edges[n++] = (struct edge){first, -1};
    for (size_t i = e->begins[block->number]; i < e->begins[block->number + 1]; i++) {
        e->edges[n++] = (struct edge){e->pauses[i].from, 1};
        e->edges[n++] = (struct edge){end_of(e, &e->pauses[i]), -1};
    }
    return n;
}

/* Of the method whose blocks these are. */
static void find_gaps(struct ending *e, const struct placed *blocks, size_t count)
{
    size_t n = 0, idle = 0;
    uint64_t from = 0, before = 0;
    for (size_t i = 0; i < count; i++)
        n = list_edges(e, &blocks[i], n);
    qsort(e->edges, n, sizeof *e->edges, by_packet);
    e->gap_count = 0;
    for (size_t i = 0; i < n;) {
        const uint64_t packet = e->edges[i].packet;
        const bool was = idle == count;
        for (; i < n && e->edges[i].packet == packet; i++)
            idle += e->edges[i].idle > 0 ? 1 : SIZE_MAX;
        if (idle == count && !was)
            from = packet;
        if (idle < count && was) {
            e->gaps[e->gap_count++] = (struct gap){from, packet, before};
            before += packet - from;
        }
    }
}

/* Packets before this one in which no block of the method is executed. */
static uint64_t in_gaps(const struct ending *e, uint64_t packet)
{
    size_t low = 0, high = e->gap_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (e->gaps[middle].from < packet)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return 0;
    const struct gap *gap = &e->gaps[low - 1];
    return gap->before + (gap->to < packet ? gap->to : packet) - gap->from;
}

/* Adds a pause, in `others` packets of which other blocks of its method were executed. */
static void take_pause(const struct ending *e, const struct roxi_log_pause *pause, uint64_t others,
                       struct roxi_executed *x)
{
    const uint32_t length = roxi_capped(end_of(e, pause) - pause->from);
    if (length > x->longest) {
        x->longest = length;
        x->longest_from = roxi_capped(pause->from);
    }
    if (length > x->resumed && pause->resumed <= e->last)
        x->resumed = length;
    if (roxi_capped(others) > x->missed) {
        x->missed = roxi_capped(others);
        x->missed_from = roxi_capped(pause->from);
    }
}

/* When the block was not executed; `alone`: its method has no other one. */
static struct roxi_executed measure(const struct ending *e, const struct placed *block, bool alone)
{
    const uint64_t first = e->b->first[block->number];
    uint64_t active = e->last >= first ? e->last - first + 1 : 0;
    struct roxi_executed executed = {0};
    for (size_t i = e->begins[block->number]; i < e->begins[block->number + 1]; i++) {
        const uint64_t begin = e->pauses[i].from, end = end_of(e, &e->pauses[i]);
        if (end <= begin)
            continue;
        const uint64_t others = alone ? 0 : end - begin - (in_gaps(e, end) - in_gaps(e, begin));
        active -= active < end - begin ? active : end - begin;
        take_pause(e, &e->pauses[i], others, &executed);
    }
    executed.active = roxi_capped(active);
    return executed;
}

static int add_method(struct ending *e, const struct placed *blocks, size_t count, uint32_t role,
                      struct roxi_use *use)
{
    int result = 0;
    if (count > 1)
        find_gaps(e, blocks, count);
    for (size_t i = 0; i < count && result == 0; i++) {
        const uint64_t key = roxi_tally_key(&e->b->numbers, blocks[i].number);
        struct roxi_executed executed = measure(e, &blocks[i], count == 1);
        executed.role = role;
        executed.stack = (uint32_t)(key >> 32);
        executed.block = (uint32_t)key;
        result = roxi_use_add_executed(use, &executed);
    }
    return result;
}

/* ---- the log ---- */

static void place_pauses(struct ending *e)
{
    const struct roxi_log_blocks *b = e->b;
    size_t begin = 0;
    for (size_t i = 0; i < b->pause_count; i++)
        e->begins[b->pauses[i].block]++;
    for (size_t i = 0; i <= b->numbers.n; i++) {
        const size_t count = e->begins[i];
        e->begins[i] = begin;
        begin += count;
    }
    for (size_t i = 0; i < b->pause_count; i++)
        e->pauses[e->begins[b->pauses[i].block]++] = b->pauses[i];
    for (size_t i = b->numbers.n; i > 0; i--) /* each is where the next one begins by now */
        e->begins[i] = e->begins[i - 1];
    e->begins[0] = 0;
}

static void place_blocks(struct ending *e, const struct roxi_symbols *s)
{
    const struct roxi_tally *numbers = &e->b->numbers;
    for (size_t i = 0; i < numbers->n; i++) {
        const struct roxi_frame at =
            roxi_symbols_top(s, (uint32_t)(roxi_tally_key(numbers, i) >> 32));
        e->placed[i] = (struct placed){at.class_name, at.method, at.descriptor, (uint32_t)i};
    }
    qsort(e->placed, numbers->n, sizeof *e->placed, by_method);
}

static bool is_of_method(const struct placed *x, const struct placed *y)
{
    return x->class_name == y->class_name && x->method == y->method &&
           x->descriptor == y->descriptor;
}

static int add_all(struct ending *e, uint32_t role, struct roxi_use *use)
{
    const size_t n = e->b->numbers.n;
    int result = 0;
    for (size_t from = 0, to; from < n && result == 0; from = to) {
        for (to = from + 1; to < n && is_of_method(&e->placed[from], &e->placed[to]); to++)
            continue;
        result = add_method(e, e->placed + from, to - from, role, use);
    }
    return result;
}

int roxi_log_blocks_end(const struct roxi_log_blocks *b, const struct roxi_symbols *s,
                        uint64_t last, uint32_t role, struct roxi_use *use)
{
    const size_t n = b->numbers.n, edges = 2 * (n + b->pause_count);
    struct ending e = {.b = b, .last = last};
    if (!n)
        return 0;
    e.placed = calloc(n, sizeof *e.placed);
    e.pauses = calloc(b->pause_count + 1, sizeof *e.pauses);
    e.begins = calloc(n + 1, sizeof *e.begins);
    e.edges = calloc(edges, sizeof *e.edges);
    e.gaps = calloc(edges, sizeof *e.gaps);
    int result = -1;
    if (e.placed && e.pauses && e.begins && e.edges && e.gaps) {
        place_pauses(&e);
        place_blocks(&e, s);
        result = add_all(&e, role, use);
    }
    free(e.placed);
    free(e.pauses);
    free(e.begins);
    free(e.edges);
    free(e.gaps);
    return result;
}
