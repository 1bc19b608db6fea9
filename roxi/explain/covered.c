/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of code that hardly a normal run executes, in whatever role, where logs tell which code
 * was executed: one for each class of a role, of the block that was executed first. A branch that
 * only this run took is often where it went wrong, or what dealt with that. Some systems take rare
 * branches in every run, so what is found counts less the more such classes there are in a normal
 * run. */
#include <math.h>
#include <stdlib.h>

#include "roxi/explain/code.h"
#include "roxi/explain/usual.h"
#include "roxi/rank/median.h"
#include "roxi/rank/rare.h"
#include "schema/base/grow.h"

/* Chosen on sample systems (docs/why-measured.md): */
#define ASKER_COUNTS 0.7 /* of a JVM that asks others: it deals with answers */

/* A block that hardly a normal run executes. */
struct rare {
    const struct roxi_covered *covered;
    uint32_t class_name;
    uint32_t like; /* normal runs that execute it */
    bool apart;    /* no block is on its line that normal runs execute */
};

struct covering {
    struct roxi_finder *f;
    bool *of; /* by run: the normal ones that are looked at; owned, as is the rest */
    struct roxi_rare seen;
    struct rare *rare;
    size_t rare_count, rare_cap;
};

/* ---- rare blocks ---- */

static int by_class(const void *a, const void *b)
{
    const struct rare *x = a, *y = b;
    if (x->covered->role != y->covered->role)
        return x->covered->role < y->covered->role ? -1 : 1;
    if (x->class_name != y->class_name)
        return x->class_name < y->class_name ? -1 : 1;
    if (x->covered->packet != y->covered->packet)
        return x->covered->packet < y->covered->packet ? -1 : 1;
    if (x->covered->stack != y->covered->stack)
        return x->covered->stack < y->covered->stack ? -1 : 1;
    return (x->covered->block > y->covered->block) - (x->covered->block < y->covered->block);
}

/* Does a line of the run's role have a block that is no rare one? They are one after the other. */
static bool is_common_line(const struct covering *c, const struct roxi_use *u, size_t i,
                           uint32_t own)
{
    const struct roxi_covered *x = &u->covered[i];
    size_t from = i;
    while (from && u->covered[from - 1].role == x->role && u->covered[from - 1].stack == x->stack)
        from--;
    for (; from < u->covered_count; from++) {
        const struct roxi_covered *y = &u->covered[from];
        if (y->role != x->role || y->stack != x->stack)
            return false;
        if (roxi_usual_is_common(roxi_rare_like(&c->seen, y) - own, c->seen.runs - own))
            return true;
    }
    return false;
}

/* Of a run, by class. `own`: how many of the normal runs are the run itself. */
static int list_rare(struct covering *c, const struct roxi_use *u, uint32_t own)
{
    const struct roxi_symbols *s = c->f->profiles->symbols;
    c->rare_count = 0;
    for (size_t i = 0; i < u->covered_count; i++) {
        const uint32_t like = roxi_rare_like(&c->seen, &u->covered[i]) - own;
        if (roxi_usual_is_common(like, c->seen.runs - own))
            continue;
        const struct rare rare = {&u->covered[i],
                                  roxi_symbols_top(s, u->covered[i].stack).class_name, like,
                                  !is_common_line(c, u, i, own)};
        if (ix_append(c->rare, c->rare_count, c->rare_cap, rare) != 0)
            return -1;
    }
    if (c->rare_count)
        qsort(c->rare, c->rare_count, sizeof *c->rare, by_class);
    return 0;
}

static size_t class_end(const struct covering *c, size_t from)
{
    size_t to = from + 1;
    while (to < c->rare_count && c->rare[to].covered->role == c->rare[from].covered->role &&
           c->rare[to].class_name == c->rare[from].class_name)
        to++;
    return to;
}

/* *classes: with such blocks, in the median of the normal runs. */
static int usual_classes(struct covering *c, double *classes)
{
    size_t n = 0;
    for (size_t r = 0; r < c->f->profiles->count; r++) {
        if (!c->of[r])
            continue;
        if (list_rare(c, &c->f->profiles->executions[r].use, 1) != 0)
            return -1;
        size_t found = 0;
        for (size_t from = 0; from < c->rare_count; from = class_end(c, from))
            found++;
        c->f->numbers[n++] = (double)found;
    }
    *classes = roxi_median(c->f->numbers, n, n);
    return 0;
}

/* ---- findings ---- */

/* How many roles execute a block at about the same time. If several do, it is for what another one
 * did. */
static uint32_t roles_then(const struct roxi_use *u, const struct roxi_covered *x)
{
    uint32_t roles = 0;
    for (size_t i = 0; i < u->covered_count; i++) {
        const struct roxi_covered *y = &u->covered[i];
        roles += y->stack == x->stack && y->block == x->block &&
                 roxi_within(x->packet, y->packet, ROXI_BESIDE);
    }
    return roles;
}

/* Of `weight`, what counts of a class that a role executes, from that block on. */
static double counts(const struct roxi_finder *f, const struct roxi_covered *x, double weight)
{
    const struct roxi_use *u = &f->run->use;
    return weight / roles_then(u, x) * (roxi_code_asks(f, x->role) ? ASKER_COUNTS : 1) *
           (roxi_code_is_starting(u, x->role, x->packet) ? ROXI_CODE_STARTING : 1);
}

/* Of a class, the first block that is apart is the one to show; else the first. */
static const struct rare *to_show(const struct covering *c, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (c->rare[i].apart)
            return &c->rare[i];
    return &c->rare[from];
}

/* The other lines of its method that are apart. */
static void add_lines(const struct covering *c, size_t from, size_t to, struct roxi_finding *x)
{
    const struct roxi_symbols *s = c->f->profiles->symbols;
    for (size_t i = from; i < to && x->line_count < ROXI_FINDING_LINES; i++) {
        const uint32_t stack = c->rare[i].covered->stack;
        bool known = !c->rare[i].apart || stack == x->stack ||
                     roxi_symbols_top(s, stack).method != x->call.method;
        for (uint32_t k = 0; k < x->line_count; k++)
            known = known || x->lines[k] == stack;
        if (!known)
            x->lines[x->line_count++] = stack;
    }
}

static int tell(struct covering *c, size_t from, size_t to, double weight)
{
    const struct rare *first = &c->rare[from], *shown = to_show(c, from, to);
    struct roxi_finding x =
        roxi_code_finding(c->f, ROXI_ABOUT_COVERED, first->covered->role, shown->covered->stack);
    x.part_of_line = !shown->apart;
    add_lines(c, from, to, &x);
    x.packet = first->covered->packet;
    x.here = (uint32_t)(to - from);
    x.like = first->like;
    x.compared = c->seen.runs;
    x.weight = counts(c->f, first->covered, weight);
    return roxi_finder_add(c->f, &x);
}

static bool comes_before(const struct roxi_finding *x, const struct roxi_finding *y)
{
    return x->weight > y->weight || (!(x->weight < y->weight) && x->packet < y->packet);
}

/* The first finding of a role has what the score holds against that for all of them. */
static void share(const struct roxi_finder *f, size_t from)
{
    const struct roxi_ranking *r = f->ranking;
    for (size_t i = r->first[f->number]; i < r->first[f->number + 1]; i++) {
        const struct roxi_part *part = &r->parts[i];
        const uint32_t role = roxi_ranking_who(r, f->number, part).role;
        struct roxi_finding *first = NULL;
        for (size_t k = from; k < f->out->count; k++) {
            struct roxi_finding *x = &f->out->list[k];
            if (x->who.role == role && (!first || comes_before(x, first)))
                first = x;
        }
        if (first && roxi_durations_locus(r->durations, part->locus).kind == ROXI_COVERED)
            first->share = roxi_ranking_share(r, f->number, part);
    }
}

static size_t role_end(const struct covering *c, size_t from)
{
    size_t to = from + 1;
    while (to < c->rare_count && c->rare[to].covered->role == c->rare[from].covered->role)
        to++;
    return to;
}

/* Of a role's classes the one of which code was executed first, and most at that packet; one for
 * which it was not just starting, if there is one. Returns where its blocks begin. */
static size_t first_class(const struct covering *c, size_t from, size_t to)
{
    size_t best = from, blocks = 0;
    bool starting = true;
    for (size_t i = from, end; i < to; i = end) {
        end = class_end(c, i);
        const bool starts = roxi_code_is_starting(&c->f->run->use, c->rare[i].covered->role,
                                                  c->rare[i].covered->packet);
        const uint32_t packet = c->rare[i].covered->packet, first = c->rare[best].covered->packet;
        if (!blocks || starts < starting ||
            (starts == starting && (packet < first || (packet == first && end - i > blocks)))) {
            best = i;
            blocks = end - i;
            starting = starts;
        }
    }
    return best;
}

static int tell_role(struct covering *c, size_t from, size_t to, double weight)
{
    const size_t first = first_class(c, from, to);
    int result = 0;
    for (size_t i = from, end; i < to && result == 0; i = end) {
        end = class_end(c, i);
        result = tell(c, i, end, i == first ? weight : ROXI_CODE_OTHERS * weight);
    }
    return result;
}

static int tell_all(struct covering *c)
{
    const size_t before = c->f->out->count;
    double usual = 0;
    int result = usual_classes(c, &usual) == 0 ? list_rare(c, &c->f->run->use, 0) : -1;
    const double weight = roxi_code_weight(c->f->out, 1) / (1 + usual);
    for (size_t from = 0, to; from < c->rare_count && result == 0; from = to) {
        to = role_end(c, from);
        result = tell_role(c, from, to, weight);
    }
    share(c->f, before);
    return result;
}

int roxi_produce_covered(struct roxi_finder *f)
{
    struct covering c = {.f = f};
    if (!f->run->use.tells_covered)
        return 0;
    c.of = roxi_code_runs(f, false);
    int result = c.of ? roxi_rare_count(&c.seen, f->profiles, c.of) : -1;
    if (result == 0 && c.seen.runs)
        result = tell_all(&c);
    free(c.of);
    roxi_rare_free(&c.seen);
    free(c.rare);
    return result;
}
