/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of methods that are called again and again in normal runs, and for a long time were not
 * in this one, while the rest of their JVM went on: one for each role. Such as a timer in the wrong
 * unit, a thread that waits for a signal that was lost or has ended, a queue that nobody fills. */
#include <stdlib.h>
#include <string.h>

#include "roxi/explain/finder.h"
#include "roxi/explain/usual.h"
#include "roxi/rank/model.h"

/* Chosen on sample systems (docs/why-measured.md): */
#define AS_LONG 2.0 /* times as long as is common in normal runs, and so many packets more */
#define IDLE 0.2    /* share of the role's other methods that may be missing meanwhile, too */
#define COUNTS 0.5  /* evidence: it is more often a consequence */
enum {
    MORE = 5,
    REGULAR = 10, /* packets at which it is called at least in 9 of 10 normal runs */
};

/* The longest time for which a method is not called. */
struct pause {
    uint64_t from, packets; /* its first packet, and how many it has */
    uint64_t last;          /* the packet of the last call of all; 0: it is never called */
    uint32_t with_a_call;   /* packets */
};

struct pausing {
    struct roxi_finder *f;
    struct pause *own, *normal; /* by row of f->called; owned, as is the rest */
    double *lengths;            /* by row, and then by normal run: packets */
    double *edges;              /* by row: what is common in normal runs */
    size_t *regular;            /* by row: normal runs in which it is called regularly */
    size_t runs, room;          /* normal ones whose history is known */
};

/* After the last call there is none before that packet. */
static void lengthen(struct pause *p, uint64_t before)
{
    if (before > p->last + 1 && before - p->last - 1 > p->packets) {
        p->from = p->last + 1;
        p->packets = before - p->from;
    }
}

/* Of a role, whose methods are called between two packets. */
static void end_pauses(struct pause *pauses, size_t n, uint64_t first, uint64_t last)
{
    for (size_t i = 0; i < n; i++) {
        if (pauses[i].last)
            lengthen(&pauses[i], last + 1);
        else if (first <= last)
            pauses[i] = (struct pause){.from = first, .packets = last - first + 1};
    }
}

/* Of all methods in a run. What they do before their first call does not count, nor what comes when
 * no method of the role is called any more. */
static void measure(const struct roxi_called_table *t, const struct roxi_history *h,
                    struct pause *pauses)
{
    memset(pauses, 0, t->count * sizeof *pauses);
    for (size_t i = 0; i < h->told_count; i++) {
        const struct roxi_called_row *row = roxi_called_find(t, h->told[i].role, h->told[i].stack);
        if (!row)
            continue;
        struct pause *p = &pauses[row - t->rows];
        if (p->last)
            lengthen(p, h->told[i].packet);
        p->with_a_call += h->told[i].packet != p->last;
        p->last = h->told[i].packet;
    }
    for (size_t from = 0, to; from < t->count; from = to) {
        uint64_t first = UINT64_MAX, last = 0;
        to = roxi_called_role_end(t, from);
        for (size_t i = 0; i < h->told_count; i++) {
            if (h->told[i].role != t->rows[from].role)
                continue;
            first = first < h->told[i].packet ? first : h->told[i].packet;
            last = h->told[i].packet;
        }
        end_pauses(pauses + from, to - from, first, last);
    }
}

static bool is_compared(const struct roxi_finder *f, size_t run)
{
    return f->normal[run] && f->profiles->executions[run].history.told_count;
}

static void measure_normal(struct pausing *p)
{
    const struct roxi_finder *f = p->f;
    const struct roxi_called_table *t = &f->called;
    for (size_t r = 0; r < f->profiles->count; r++) {
        if (!is_compared(f, r))
            continue;
        measure(t, &f->profiles->executions[r].history, p->normal);
        for (size_t i = 0; i < t->count; i++) {
            p->lengths[i * p->room + p->runs] = (double)p->normal[i].packets;
            p->regular[i] += p->normal[i].with_a_call >= REGULAR;
        }
        p->runs++;
    }
    for (size_t i = 0; i < t->count && p->runs; i++) {
        memcpy(p->f->numbers, p->lengths + i * p->room, p->runs * sizeof *p->f->numbers);
        p->edges[i] = roxi_usual_edge(p->f->numbers, p->runs);
    }
}

static bool is_regular(const struct pausing *p, size_t row)
{
    return 10 * p->regular[row] >= 9 * p->runs;
}

/* Of the role's other methods that are usually called at least twice in such a time, the share of
 * those that are not called in this pause either; 1: there are none. */
static double idle_share(const struct pausing *p, size_t from, size_t to, size_t row)
{
    const struct pause *pause = &p->own[row];
    const struct roxi_history *h = &p->f->run->history;
    const struct roxi_called_table *t = &p->f->called;
    size_t others = 0, called = 0;
    for (size_t i = from; i < to; i++) {
        p->f->numbers[i] =
            i != row && is_regular(p, i) && 2 * p->edges[i] <= (double)pause->packets;
        others += p->f->numbers[i] > 0;
    }
    for (size_t i = 0; i < h->told_count; i++) {
        const struct roxi_told *told = &h->told[i];
        if (told->role != t->rows[from].role || told->packet < pause->from ||
            told->packet >= pause->from + pause->packets)
            continue;
        const struct roxi_called_row *other = roxi_called_find(t, told->role, told->stack);
        if (other && p->f->numbers[other - t->rows] > 0) {
            p->f->numbers[other - t->rows] = 0;
            called++;
        }
    }
    return others ? (double)(others - called) / (double)others : 1;
}

/* *usual: how long its pauses are in normal runs. */
static double evidence_of(const struct pausing *p, size_t row, struct roxi_usual *usual)
{
    const double own = (double)p->own[row].packets;
    if (!is_regular(p, row) || p->f->called.rows[row].at_least[0] ||
        own < AS_LONG * p->edges[row] + MORE)
        return 0;
    for (size_t r = 0; r < p->runs; r++)
        p->f->numbers[r] = roxi_scaled(p->lengths[row * p->room + r]);
    *usual = roxi_usual_of(p->f->numbers, p->runs, roxi_scaled(own));
    return roxi_usual_evidence(usual, p->runs, roxi_scaled(own), roxi_score_default.resolution);
}

static int tell(const struct pausing *p, size_t row, const struct roxi_usual *usual, double weight)
{
    const struct pause *pause = &p->own[row];
    struct roxi_finding x = roxi_called_finding(&p->f->called.rows[row], ROXI_ABOUT_PAUSE);
    x.here = roxi_capped(pause->packets);
    x.elsewhere = roxi_unscaled(usual->centre);
    x.packet = pause->last ? pause->from : 0;
    x.like = usual->like;
    x.compared = p->runs;
    x.weight = COUNTS * weight;
    return roxi_finder_add(p->f, &x);
}

static int look_at_role(struct pausing *p, size_t from, size_t to)
{
    struct roxi_usual usual, best_usual = {0};
    double most = 0;
    size_t best = from;
    for (size_t i = from; i < to; i++) {
        const double evidence = evidence_of(p, i, &usual);
        const double idle = evidence > most ? idle_share(p, from, to, i) : 1;
        bool counted;
        if (idle > IDLE || (1 - idle) * evidence <= most)
            continue;
        if (roxi_callers_counted(p->f, &p->f->called.rows[i], &counted) != 0)
            return -1;
        if (!counted)
            continue;
        most = (1 - idle) * evidence;
        best = i;
        best_usual = usual;
    }
    return most > 0 ? tell(p, best, &best_usual, most) : 0;
}

static int look(struct pausing *p)
{
    const struct roxi_called_table *t = &p->f->called;
    int result = 0;
    measure(t, &p->f->run->history, p->own);
    measure_normal(p);
    for (size_t from = 0, to; from < t->count && p->runs && result == 0; from = to) {
        to = roxi_called_role_end(t, from);
        result = look_at_role(p, from, to);
    }
    return result;
}

int roxi_produce_pauses(struct roxi_finder *f)
{
    const size_t rows = f->called.count;
    struct pausing p = {.f = f};
    if (!rows || !f->run->history.told_count)
        return 0;
    for (size_t r = 0; r < f->profiles->count; r++)
        p.room += is_compared(f, r);
    p.own = calloc(rows, sizeof *p.own);
    p.normal = calloc(rows, sizeof *p.normal);
    p.lengths = calloc(rows * p.room + 1, sizeof *p.lengths);
    p.edges = calloc(rows, sizeof *p.edges);
    p.regular = calloc(rows, sizeof *p.regular);
    const int result = p.own && p.normal && p.lengths && p.edges && p.regular ? look(&p) : -1;
    free(p.own);
    free(p.normal);
    free(p.lengths);
    free(p.edges);
    free(p.regular);
    return result;
}
