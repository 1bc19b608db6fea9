/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/explain/called.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/rank/median.h"
#include "schema/base/grow.h"

struct making {
    struct roxi_called_table *t;
    const struct roxi_symbols *symbols;
    const struct roxi_profile **runs, **timed; /* owned */
};

/* ---- runs ---- */

static int choose_runs(struct making *m, const struct roxi_profiles *p, size_t run,
                       const bool *normal)
{
    size_t telling = 0, seen = 0;
    for (size_t r = 0; r < p->count; r++)
        telling += r != run && normal[r] && p->executions[r].use.tells_called;
    const size_t most = telling < ROXI_CALLED_RUNS ? telling : ROXI_CALLED_RUNS;
    m->runs = calloc(most + 1, sizeof *m->runs);
    m->timed = calloc(telling + 1, sizeof *m->timed);
    if (!m->runs || !m->timed)
        return -1;
    m->runs[m->t->runs++] = &p->executions[run];
    for (size_t r = 0; r < p->count; r++) {
        const struct roxi_profile *x = &p->executions[r];
        if (r == run || !normal[r] || !x->use.tells_called)
            continue;
        if (roxi_is_chosen(seen, most, telling))
            m->runs[m->t->runs++] = x;
        if (x->history.told_count && x->history.moment_count)
            m->timed[m->t->timed++] = x;
        seen++;
    }
    return 0;
}

/* ---- methods ---- */

static int compare_classes(const struct roxi_symbols *s, const struct roxi_called_row *x,
                           const struct roxi_called_row *y)
{
    const char *a = roxi_symbols_text(s, x->class_name), *b = roxi_symbols_text(s, y->class_name);
    const size_t n = roxi_top_level(a), m = roxi_top_level(b);
    const int order = memcmp(a, b, n < m ? n : m);
    return order ? order : (n > m) - (n < m);
}

static int by_class(const void *a, const void *b, void *symbols)
{
    const struct roxi_called_row *x = a, *y = b;
    if (x->role != y->role)
        return x->role < y->role ? -1 : 1;
    const int order = x->class_name == y->class_name ? 0 : compare_classes(symbols, x, y);
    if (order)
        return order;
    if (x->class_name != y->class_name)
        return x->class_name < y->class_name ? -1 : 1;
    if (x->method != y->method)
        return x->method < y->method ? -1 : 1;
    return (x->stack > y->stack) - (x->stack < y->stack);
}

static int list_pairs(struct making *m)
{
    for (size_t r = 0; r < m->t->runs; r++) {
        const struct roxi_use *u = &m->runs[r]->use;
        for (size_t i = 0; i < u->called_count; i++) {
            const uint64_t pair = roxi_pair(u->called[i].role, u->called[i].stack);
            if (roxi_tally_add(&m->t->pairs, pair, 0) == ROXI_NONE)
                return -1;
        }
    }
    return 0;
}

static struct roxi_called_row row_of(const struct making *m, size_t number)
{
    const uint64_t pair = roxi_tally_key(&m->t->pairs, number);
    const struct roxi_frame f = roxi_symbols_top(m->symbols, (uint32_t)pair);
    return (struct roxi_called_row){.role = (uint32_t)(pair >> 32),
                                    .class_name = f.class_name,
                                    .method = f.method,
                                    .stack = (uint32_t)pair};
}

static uint32_t *place_of(const struct roxi_called_table *t, uint32_t role, uint32_t stack)
{
    const uint32_t number = ix_idmap_get(&t->pairs.numbers, roxi_pair(role, stack));
    return number ? &t->row_of[number - 1] : NULL;
}

/* Methods with the same name are one. */
static int make_rows(struct making *m)
{
    struct roxi_called_table *t = m->t;
    const size_t all = t->pairs.n;
    t->rows = calloc(all + 1, sizeof *t->rows);
    t->row_of = calloc(all + 1, sizeof *t->row_of);
    if (!t->rows || !t->row_of)
        return -1;
    for (size_t i = 0; i < all; i++)
        t->rows[i] = row_of(m, i);
    if (all)
        qsort_r(t->rows, all, sizeof *t->rows, by_class, (void *)m->symbols);
    for (size_t i = 0; i < all; i++) {
        const struct roxi_called_row row = t->rows[i];
        const struct roxi_called_row *last = t->count ? &t->rows[t->count - 1] : NULL;
        if (!last || last->role != row.role || last->class_name != row.class_name ||
            last->method != row.method)
            t->rows[t->count++] = row;
        *place_of(t, row.role, row.stack) = (uint32_t)t->count - 1;
    }
    return 0;
}

struct roxi_called_row *roxi_called_find(const struct roxi_called_table *t, uint32_t role,
                                         uint32_t stack)
{
    const uint32_t *place = t->rows ? place_of(t, role, stack) : NULL;
    return place ? &t->rows[*place] : NULL;
}

/* ---- calls ---- */

static void count_run(const struct making *m, size_t run)
{
    const struct roxi_use *u = &m->runs[run]->use;
    for (size_t i = 0; i < u->called_count; i++) {
        const struct roxi_called *called = &u->called[i];
        const struct roxi_called_row *row = roxi_called_find(m->t, called->role, called->stack);
        row->calls[run] += (double)called->count;
        row->at_least[run] |= called->at_least;
    }
}

static void count_parts(const struct making *m, size_t number)
{
    const struct roxi_history *h = &m->timed[number]->history;
    for (size_t i = 0; i < h->told_count; i++) {
        const struct roxi_told *told = &h->told[i];
        const struct roxi_called_row *row = roxi_called_find(m->t, told->role, told->stack);
        uint64_t part =
            ROXI_CALLED_PARTS * (told->packet - roxi_history_first(h)) / roxi_history_length(h);
        for (; row && part < ROXI_CALLED_PARTS; part++)
            row->parts[ROXI_CALLED_PARTS * number + part] += (double)told->count;
    }
}

static int count_calls(struct making *m)
{
    struct roxi_called_table *t = m->t;
    const size_t columns = t->runs + ROXI_CALLED_PARTS * t->timed;
    double *work = calloc(t->runs + 1, sizeof *work);
    t->numbers = calloc(t->count * columns + 1, sizeof *t->numbers);
    t->flags = calloc(t->count * t->runs + 1, sizeof *t->flags);
    for (size_t i = 0; work && t->numbers && t->flags && i < t->count; i++) {
        t->rows[i].calls = t->numbers + i * columns;
        t->rows[i].parts = t->rows[i].calls + t->runs;
        t->rows[i].at_least = t->flags + i * t->runs;
    }
    const bool room = work && t->numbers && t->flags;
    for (size_t r = 0; room && r < t->runs; r++)
        count_run(m, r);
    for (size_t i = 0; room && i < t->timed; i++)
        count_parts(m, i);
    for (size_t i = 0; room && i < t->count; i++) {
        struct roxi_called_row *row = &t->rows[i];
        memcpy(work, row->calls + 1, (t->runs - 1) * sizeof *work);
        row->typical = roxi_median(work, t->runs - 1, t->runs - 1);
        row->own = row->calls[0];
    }
    free(work);
    return room ? 0 : -1;
}

/* ---- the whole ---- */

int roxi_called_make(struct roxi_called_table *t, const struct roxi_profiles *p, size_t run,
                     const bool *normal)
{
    struct making m = {.t = t, .symbols = p->symbols};
    *t = (struct roxi_called_table){0};
    int result = 0;
    if (p->executions[run].use.tells_called)
        result = choose_runs(&m, p, run, normal);
    if (result == 0 && t->runs > 1)
        result = list_pairs(&m) == 0 && make_rows(&m) == 0 ? count_calls(&m) : -1;
    free(m.runs);
    free(m.timed);
    return result;
}

void roxi_called_free(struct roxi_called_table *t)
{
    free(t->rows);
    free(t->numbers);
    free(t->flags);
    roxi_tally_free(&t->pairs);
    free(t->row_of);
    *t = (struct roxi_called_table){0};
}

bool roxi_called_same_class(const struct roxi_symbols *s, const struct roxi_called_row *a,
                            const struct roxi_called_row *b)
{
    return compare_classes(s, a, b) == 0;
}

size_t roxi_called_class_end(const struct roxi_called_table *t, const struct roxi_symbols *s,
                             size_t from)
{
    size_t to = from + 1;
    while (to < t->count && t->rows[to].role == t->rows[from].role &&
           compare_classes(s, &t->rows[to], &t->rows[from]) == 0)
        to++;
    return to;
}

size_t roxi_called_role_end(const struct roxi_called_table *t, size_t from)
{
    size_t to = from + 1;
    while (to < t->count && t->rows[to].role == t->rows[from].role)
        to++;
    return to;
}

struct roxi_finding roxi_called_finding(const struct roxi_called_row *row, enum roxi_about about)
{
    struct roxi_finding x = roxi_finding_of(about, (struct roxi_member){.role = row->role});
    x.stack = row->stack;
    x.call.class_name = row->class_name;
    x.call.method = row->method;
    x.here = (uint32_t)fmin(row->own, UINT32_MAX);
    x.elsewhere = row->typical;
    x.at_least = row->at_least[0];
    return x;
}
