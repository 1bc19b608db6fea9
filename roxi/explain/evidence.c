/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/explain/evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/explain/finder.h"
#include "roxi/rank/peers.h"
#include "schema/base/grow.h"
#include "schema/base/text_memory.h"

#define LESS_COUNTS 0.5 /* docs/why-measured.md */

/* ---- names ---- */

/* The call that a finding is of, or the innermost one of the application on its call stack; class
 * ROXI_NONE: there is none. */
static struct roxi_call call_of(const struct roxi_symbols *s, const struct roxi_finding *x)
{
    return x->kind == ROXI_IN_CALL ? x->call : roxi_finder_innermost(s, x->stack);
}

static void name_threads(FILE *out, const struct roxi_symbols *s, const struct roxi_finding *x)
{
    const char *role = roxi_symbols_text(s, x->who.role);
    const size_t stem = roxi_role_stem(role);
    fprintf(out, "%.*s %s", (int)(stem ? stem : strlen(role)), role,
            x->thread == ROXI_NONE ? "" : roxi_symbols_text(s, x->thread));
}

static void name_class(FILE *out, const struct roxi_symbols *s, const struct roxi_finding *x)
{
    struct roxi_call call = call_of(s, x);
    fputs("class ", out);
    if (call.class_name == ROXI_NONE) {
        name_threads(out, s, x);
        return;
    }
    call = roxi_finder_to_look_at(s, &call);
    const char *class_name = roxi_symbols_text(s, call.class_name);
    fwrite(class_name, 1, roxi_top_level(class_name), out);
}

static void name_method(FILE *out, const struct roxi_symbols *s, uint32_t class_name,
                        uint32_t method)
{
    fprintf(out, " %s.%s", roxi_symbols_text(s, class_name), roxi_symbols_text(s, method));
}

/* Peers and waits tell in another way that a call takes longer. */
static void name_departure(FILE *out, const struct roxi_symbols *s, const struct roxi_finding *x)
{
    const struct roxi_call call = call_of(s, x);
    const enum roxi_about about = x->about == ROXI_ABOUT_PEERS ? ROXI_ABOUT_DURATION : x->about;
    const enum roxi_duration_kind kind = x->kind == ROXI_OUTSIDE ? ROXI_IN_CALL : x->kind;
    fprintf(out, "%d %d %d %d ", (int)about, (int)kind, (int)x->resource, (int)x->less);
    if (about == ROXI_ABOUT_EXCEPTION || about == ROXI_ABOUT_FIRST)
        fputs(roxi_symbols_text(s, x->thrown), out);
    if (call.class_name == ROXI_NONE) {
        name_threads(out, s, x);
        return;
    }
    name_method(out, s, call.class_name, call.method);
    if (x->kind == ROXI_IN_CALL && call.called != ROXI_NONE)
        name_method(out, s, call.called_class, call.called);
}

/* ---- gathering ---- */

static int add(struct roxi_run_evidence *e, const struct roxi_evidence *new)
{
    e->weight += new->weight;
    for (size_t i = 0; i < e->count; i++) {
        struct roxi_evidence *known = &e->list[i];
        if (known->what != new->what)
            continue;
        known->weight += new->weight;
        if (new->most > known->most) {
            known->most = new->most;
            known->finding = new->finding;
        }
        return 0;
    }
    return ix_append(e->list, e->count, e->cap, *new);
}

static int add_finding(struct roxi_run_evidence *e, struct roxi_symbols *names,
                       const struct roxi_symbols *s, const struct roxi_finding *x, bool of_class)
{
    struct ix_text t;
    if (ix_text_open(&t) != 0)
        return -1;
    (of_class ? name_class : name_departure)(t.out, s, x);
    char *name = ix_text_close(&t);
    const uint32_t what = name ? roxi_symbols_string(names, name, t.size) : ROXI_NONE;
    const double weight = x->less ? LESS_COUNTS * x->weight : x->weight;
    free(name);
    return what == ROXI_NONE ? -1
                             : add(e, &(struct roxi_evidence){.what = what,
                                                              .of_class = of_class,
                                                              .weight = weight,
                                                              .most = weight,
                                                              .finding = *x});
}

int roxi_evidence_gather(struct roxi_run_evidence *e, struct roxi_symbols *names,
                         const struct roxi_profiles *p, const struct roxi_findings *f)
{
    int result = 0;
    for (size_t i = 0; i < f->count && result == 0; i++) {
        const struct roxi_finding *x = &f->list[i];
        if (!(x->weight > 0))
            continue;
        result = add_finding(e, names, p->symbols, x, true);
        if (result == 0)
            result = add_finding(e, names, p->symbols, x, false);
    }
    return result;
}

void roxi_evidence_free(struct roxi_run_evidence *e)
{
    free(e->list);
    *e = (struct roxi_run_evidence){0};
}

/* ---- comparing ---- */

struct named {
    const char *name;
    uint32_t number;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

static int by_what(const void *a, const void *b)
{
    const struct roxi_evidence *x = a, *y = b;
    return (x->what > y->what) - (x->what < y->what);
}

int roxi_evidence_sort(struct roxi_run_evidence *runs, size_t n, const struct roxi_symbols *names)
{
    const uint32_t count = roxi_symbols_count(names).strings;
    struct named *named = calloc(count + (size_t)1, sizeof *named);
    uint32_t *rank = calloc(count + (size_t)1, sizeof *rank);
    const int result = named && rank ? 0 : -1;
    for (uint32_t i = 0; i < count && result == 0; i++)
        named[i] = (struct named){roxi_symbols_text(names, i), i};
    if (result == 0)
        qsort(named, count, sizeof *named, by_name);
    for (uint32_t i = 0; i < count && result == 0; i++)
        rank[named[i].number] = i;
    for (size_t r = 0; r < n && result == 0; r++) {
        for (size_t i = 0; i < runs[r].count; i++)
            runs[r].list[i].what = rank[runs[r].list[i].what];
        if (runs[r].count)
            qsort(runs[r].list, runs[r].count, sizeof *runs[r].list, by_what);
    }
    free(named);
    free(rank);
    return result;
}

double roxi_evidence_shared(const struct roxi_run_evidence *a, const struct roxi_run_evidence *b)
{
    const double both = a->weight * b->weight;
    double sum = 0;
    for (size_t i = 0, k = 0; i < a->count && k < b->count;) {
        const struct roxi_evidence *x = &a->list[i], *y = &b->list[k];
        if (x->what == y->what)
            sum += sqrt(x->weight * y->weight);
        i += x->what <= y->what;
        k += y->what <= x->what;
    }
    return both > 0 ? sum / sqrt(both) : 0;
}
