/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "roxi/base/json.h"
#include "roxi/base/text_escape.h"

size_t roxi_rank_reasons(const struct roxi_ranking *r, size_t execution,
                         size_t column[ROXI_REASONS])
{
    size_t n = 0;
    for (size_t c = 0; c < r->parts.count; c++) {
        const double part = roxi_column_at(&r->parts, c)[execution];
        if (!(part > 0) || part < r->score[execution] / 10)
            continue;
        size_t at = n < ROXI_REASONS ? n++ : ROXI_REASONS;
        while (at > 0 && part > roxi_column_at(&r->parts, column[at - 1])[execution]) {
            if (at < ROXI_REASONS)
                column[at] = column[at - 1];
            at--;
        }
        if (at < ROXI_REASONS)
            column[at] = c;
    }
    return n;
}

/* ---- what it did there ---- */

static uint64_t count_of(const struct roxi_profile *x, struct roxi_column c, uint32_t key)
{
    for (size_t i = 0; i < x->feature_count; i++)
        if (x->features[i].feature == c.feature && x->features[i].place == c.place &&
            x->features[i].a == key)
            return x->features[i].count;
    return 0;
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* A number, and the median over all executions. -1: memory ran out. */
static int print_number(FILE *out, const struct roxi_profiles *p, struct roxi_column c,
                        size_t execution)
{
    static const char *const packets[] = {"packets answered", "packets lost in a row"};
    static const char *const threads[] = {"live threads", "live threads at the end"};
    const char *what = c.feature == ROXI_EARLY     ? "packets that others answered after it"
                       : c.feature == ROXI_PACKETS ? packets[c.key]
                                                   : threads[c.key];
    uint64_t *all = calloc(p->count, sizeof *all);
    if (!all)
        return -1;
    for (size_t i = 0; i < p->count; i++)
        all[i] = count_of(&p->executions[i], c, c.key);
    const uint64_t here = all[execution];
    qsort(all, p->count, sizeof *all, ascending);
    fprintf(out, " from %s (%" PRIu64 ", typically %" PRIu64 ")", what, here, all[p->count / 2]);
    free(all);
    return 0;
}

static void print_ends(FILE *out, const struct roxi_profile *x, struct roxi_column c)
{
    const char *before = ", ";
    for (enum roxi_vm_end e = ROXI_ORDERLY; e <= ROXI_TOO_SHORT; e++) {
        if (count_of(x, c, e)) {
            fprintf(out, "%s%s", before, roxi_vm_end_words(e));
            before = " and ";
        }
    }
    if (*before == ',')
        fputs(", was not there", out);
}

/* How many threads of the group are in a state, in the mean over the role's packets. */
static double mean_in(const struct roxi_profiles *p, size_t execution, struct roxi_column c,
                      enum roxi_state state)
{
    const struct roxi_profile *x = &p->executions[execution];
    const uint32_t role = (uint32_t)(roxi_tally_key(&p->groups, c.place) >> 32);
    const uint64_t packets = roxi_features_packets(x->features, x->feature_count, role);
    return packets ? (double)count_of(x, c, state) / (double)packets : 0;
}

/* The state that differs most from the mean over all executions. */
static void print_states(FILE *out, const struct roxi_profiles *p, struct roxi_column c,
                         size_t execution)
{
    enum roxi_state most = ROXI_STATE_RUNNABLE;
    double here = 0, typical = 0;
    for (enum roxi_state s = ROXI_STATE_RUNNABLE; s <= ROXI_STATE_OTHER; s++) {
        const double threads = mean_in(p, execution, c, s);
        double mean = 0;
        for (size_t i = 0; i < p->count; i++)
            mean += mean_in(p, i, c, s) / (double)p->count;
        if (fabs(threads - mean) > fabs(here - typical)) {
            most = s;
            here = threads;
            typical = mean;
        }
    }
    fprintf(out, " from thread states (%.2g threads %s in the mean, others %.2g)", here,
            roxi_state_words(most), typical);
}

static int print_feature(FILE *out, const struct roxi_profiles *p, struct roxi_column c,
                         size_t execution)
{
    switch (c.feature) {
    case ROXI_PACKETS:
    case ROXI_EARLY:
    case ROXI_THREADS:
        return print_number(out, p, c, execution);
    case ROXI_ENDS:
        print_ends(out, &p->executions[execution], c);
        break;
    case ROXI_STATES:
        print_states(out, p, c, execution);
        break;
    case ROXI_STAYS:
        fputs(" from how long call stacks last", out);
        break;
    case ROXI_MOVES:
        fputs(" from which call stack follows which", out);
        break;
    default:
        fputs(" from call stacks", out);
    }
    return 0;
}

/* ---- where ---- */

struct where {
    const char *role;
    const char *as;     /* NULL: it was compared under its own name */
    const char *thread; /* NULL: of the role as a whole */
};

static struct where where_is(const struct roxi_ranking *r, size_t execution, struct roxi_column c)
{
    const struct roxi_profiles *p = roxi_ranked(r);
    const bool whole = roxi_feature_of_role(c.feature);
    const uint64_t key = whole ? 0 : roxi_tally_key(&p->groups, c.place);
    const uint32_t as = whole ? c.place : (uint32_t)(key >> 32);
    const uint32_t role = roxi_role_swaps_role(&r->peers, execution, as);
    return (struct where){roxi_symbols_text(p->symbols, role),
                          role == as ? NULL : roxi_symbols_text(p->symbols, as),
                          whole ? NULL : roxi_symbols_text(p->symbols, (uint32_t)key)};
}

int roxi_rank_explain(FILE *out, const struct roxi_ranking *r, size_t execution)
{
    size_t column[ROXI_REASONS];
    const size_t n = roxi_rank_reasons(r, execution, column);
    for (size_t i = 0; i < n; i++) {
        const struct where w = where_is(r, execution, r->parts.of[column[i]]);
        fputs(i ? "; " : "", out);
        text_print(out, w.role);
        if (w.as) {
            fputs(" as ", out);
            text_print(out, w.as);
        }
        if (w.thread) {
            fputs(", thread ", out);
            text_print(out, w.thread);
        }
        fprintf(out, ": %.1f", roxi_column_at(&r->parts, column[i])[execution]);
        if (print_feature(out, roxi_ranked(r), r->parts.of[column[i]], execution) != 0)
            return -1;
    }
    return 0;
}

void roxi_rank_explain_json(FILE *out, const struct roxi_ranking *r, size_t execution)
{
    size_t column[ROXI_REASONS];
    const size_t n = roxi_rank_reasons(r, execution, column);
    putc('[', out);
    for (size_t i = 0; i < n; i++) {
        const struct where w = where_is(r, execution, r->parts.of[column[i]]);
        fputs(i ? ",{\"role\":" : "{\"role\":", out);
        roxi_json_string(out, w.role);
        if (w.as) {
            fputs(",\"as\":", out);
            roxi_json_string(out, w.as);
        }
        fputs(",\"thread\":", out);
        if (w.thread)
            roxi_json_string(out, w.thread);
        else
            fputs("null", out);
        fprintf(out,
                ",\"feature\":\"%s\",\"part\":", roxi_feature_name(r->parts.of[column[i]].feature));
        roxi_json_number(out, roxi_column_at(&r->parts, column[i])[execution]);
        putc('}', out);
    }
    putc(']', out);
}
