/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/commands/evaluate_where.h"

#include <math.h>
#include <stdlib.h>

#include "roxi/base/text_escape.h"
#include "roxi/base/text_wrap.h"
#include "roxi/campaign/load.h"
#include "roxi/explain/normal.h"
#include "roxi/explain/where.h"
#include "roxi/explain/words.h"
#include "roxi/rank/likeness.h"

enum { MISS_INDENT = 4 };

struct work {
    const struct roxi_evaluate_where *request;
    struct roxi_truth truth; /* owned, as is the rest */
    const char **histories;
    struct roxi_profiles *profiles;
    struct roxi_ranking ranking;
    bool *normal, *failed;
    struct roxi_where where;
};

/* ---- work ---- */

static int load(struct work *w, struct ix_error *err)
{
    const struct roxi_evaluate_where *q = w->request;
    struct roxi_load_options options = q->load;
    if (roxi_truth_read(&w->truth, q->truth, q->blame, err) != 0)
        return -1;
    w->histories = calloc(w->truth.count + 1, sizeof *w->histories);
    if (!w->histories)
        return ix_fail(err, "out of memory");
    for (size_t i = 0; i < w->truth.count; i++)
        w->histories[i] = w->truth.faults[i].name;
    options.histories = w->histories;
    options.usual_histories = true;
    w->profiles = roxi_load(q->campaign, &options, err);
    return w->profiles ? roxi_truth_find(&w->truth, w->profiles, q->campaign, err) : -1;
}

static int judge(struct work *w, struct ix_error *err)
{
    const size_t n = w->profiles->count;
    size_t failed;
    struct roxi_verdict *v = roxi_verdicts_load(w->request->campaign, w->profiles, err);
    if (!v || roxi_ranking_judged(&w->ranking, w->profiles, &w->request->ranking, v, err) != 0) {
        free(v);
        return -1;
    }
    w->failed = roxi_verdicts_failed(v, n, &failed, err);
    w->normal = calloc(n + 1, sizeof *w->normal);
    if (w->failed && w->normal)
        roxi_normal_choose(w->normal, w->profiles, v, &w->ranking);
    free(v);
    if (!w->failed)
        return -1;
    return w->normal ? roxi_where_make(&w->where, &w->truth, &w->ranking, w->normal, w->failed,
                                       w->request->campaign, err)
                     : ix_fail(err, "out of memory");
}

/* ---- text ---- */

static double percent(size_t count, size_t of)
{
    return of ? 100 * (double)count / (double)of : 0;
}

static void print_row(FILE *out, const char *label, const size_t counts[ROXI_ORDERS],
                      const size_t of[ROXI_ORDERS])
{
    fprintf(out, "%-23s", label);
    for (int o = 0; o < ROXI_ORDERS; o++) {
        if (of[o])
            fprintf(out, "%4zu of %3zu %4.0f %%", counts[o], of[o], percent(counts[o], of[o]));
        else
            fprintf(out, "%18s", "-");
    }
    putc('\n', out);
}

static void print_sums(FILE *out, const struct roxi_where *w)
{
    const struct roxi_where_sum *s = w->sums;
#define ROW(label, member, of0, of1, of2)                                                          \
    print_row(out, label, (const size_t[]){s[0].member, s[1].member, s[2].member},                 \
              (const size_t[]){of0, of1, of2})
    fprintf(out, "%-23s%18s%18s%18s\n", "", "findings", "by evidence", "longest stay");
    ROW("role or node first", first, w->count, w->count, w->count);
    ROW("role or node in three", three, w->count, w->count, w->count);
    ROW("class in three", class_three, w->with_class, w->with_class, w->with_class);
    ROW("class in five", class_five, w->with_class, w->with_class, w->with_class);
    ROW("moment within 500 ms", in_time, s[0].timed, s[1].timed, s[2].timed);
#undef ROW
}

static bool is_missed(const struct roxi_where_run *run)
{
    const struct roxi_hits *h = &run->hits[ROXI_BY_FINDING];
    return !h->first || (run->fault->classes && !h->class_five);
}

static void say_miss(FILE *out, const struct work *w, const struct roxi_where_run *run)
{
    const struct roxi_fault *f = run->fault;
    const struct roxi_hits *h = &run->hits[ROXI_BY_FINDING];
    const struct roxi_symbols *names = w->profiles->symbols;
    text_print(out, f->name);
    fputs(": ", out);
    text_print(out, f->fault);
    fputs(" at ", out);
    text_print(out, f->role);
    fputs(*f->place ? ": " : "", out);
    text_print(out, f->place);
    if (!h->first)
        fputs(h->three ? "; not first" : "; not in three", out);
    if (f->classes && !h->class_five) {
        fputs("; without ", out);
        text_print(out, f->classes);
    }
    if (!run->explained) {
        fputs("; nothing is named", out);
        return;
    }
    fputs("; named: ", out);
    roxi_finding_say_where(out, names, &run->first);
    roxi_finding_say_when(out, &w->profiles->executions[f->run], &run->first);
    fputs(": ", out);
    roxi_finding_say(out, names, &run->first, 0, true);
}

/* -1: memory ran out. */
static int print_misses(FILE *out, const struct work *w)
{
    size_t missed = 0;
    for (size_t i = 0; i < w->where.count; i++) {
        struct ix_text t;
        if (!is_missed(&w->where.runs[i]))
            continue;
        if (!missed++)
            fputs("\nMissed:\n", out);
        if (ix_text_open(&t) != 0)
            return -1;
        say_miss(t.out, w, &w->where.runs[i]);
        if (roxi_close_wrapped(out, &t, (struct roxi_wrap){.indent = MISS_INDENT, .whole = true}) !=
            0)
            return -1;
    }
    return 0;
}

static int print_text(FILE *out, const struct work *w)
{
    const struct roxi_where *x = &w->where;
    const struct roxi_truth *t = &w->truth;
    const size_t left_out = t->nowhere + t->silent + t->unknown;
    fprintf(out, "%zu failed run%s with a fault whose place is known", x->count,
            x->count == 1 ? "" : "s");
    if (left_out)
        fprintf(out,
                ".\nLeft out: %zu without a place, %zu with a silent fault, %zu with one that\nis "
                "not in the table of blame",
                t->nowhere, t->silent, t->unknown);
    fputs(".\n\n", out);
    print_sums(out, x);
    fprintf(out,
            "\n%zu of %zu runs that passed (%.1f %%) score above %.0f, so something is claimed.\n",
            x->claimed, x->passed, percent(x->claimed, x->passed), ROXI_WORTH_A_LOOK);
    return print_misses(out, w);
}

/* ---- JSON ---- */

static const char *const order_names[ROXI_ORDERS] = {"findings", "evidence", "dwell"};

static void put_sums(struct roxi_json *j, const struct roxi_where *w)
{
    roxi_json_key(j, "orders");
    roxi_json_open(j, '{');
    for (int o = 0; o < ROXI_ORDERS; o++) {
        const struct roxi_where_sum *s = &w->sums[o];
        roxi_json_new_line(j);
        roxi_json_key(j, order_names[o]);
        roxi_json_open(j, '{');
        roxi_json_put_count(j, "first", s->first);
        roxi_json_put_count(j, "three", s->three);
        roxi_json_put_count(j, "class_three", s->class_three);
        roxi_json_put_count(j, "class_five", s->class_five);
        roxi_json_put_count(j, "timed", s->timed);
        roxi_json_put_count(j, "in_time", s->in_time);
        roxi_json_close(j);
    }
    roxi_json_close(j);
}

static void put_hits(struct roxi_json *j, const char *order, const struct roxi_hits *h,
                     bool with_class)
{
    roxi_json_key(j, order);
    roxi_json_open(j, '{');
    roxi_json_put_bool(j, "first", h->first);
    roxi_json_put_bool(j, "three", h->three);
    if (with_class) {
        roxi_json_put_bool(j, "class_three", h->class_three);
        roxi_json_put_bool(j, "class_five", h->class_five);
    }
    if (h->timed)
        roxi_json_put_bool(j, "in_time", h->in_time);
    roxi_json_close(j);
}

/* -1: memory ran out. */
static int put_run(struct roxi_json *j, const struct work *w, const struct roxi_where_run *run)
{
    const struct roxi_fault *f = run->fault;
    int result = 0;
    roxi_json_new_line(j);
    roxi_json_open(j, '{');
    roxi_json_put_string(j, "execution", f->name);
    roxi_json_put_string(j, "fault", f->fault);
    roxi_json_put_string(j, "role", f->role);
    roxi_json_put_string(j, "place", *f->place ? f->place : NULL);
    roxi_json_put_string(j, "class", f->classes);
    roxi_json_put_number(j, "first_ms", f->first_ms);
    roxi_json_put_bool(j, "missed", is_missed(run));
    for (int o = 0; o < ROXI_ORDERS; o++)
        put_hits(j, order_names[o], &run->hits[o], f->classes != NULL);
    roxi_json_key(j, "named");
    if (run->explained) {
        roxi_json_open(j, '{');
        result = roxi_finding_json(j, w->profiles, &w->profiles->executions[f->run], &run->first,
                                   w->where.normal);
        roxi_json_close(j);
    } else {
        fputs("null", roxi_json_value(j));
    }
    roxi_json_close(j);
    return result;
}

static int print_json(FILE *out, const struct work *w, const struct roxi_origin *origin,
                      struct ix_error *err)
{
    struct roxi_json j = {.out = out};
    int result = 0;
    if (roxi_json_begin(&j, "where", origin, err) != 0)
        return -1;
    roxi_json_new_line(&j);
    roxi_json_put_count(&j, "failed", w->where.count);
    roxi_json_put_count(&j, "with_class", w->where.with_class);
    roxi_json_put_count(&j, "nowhere", w->truth.nowhere);
    roxi_json_put_count(&j, "silent", w->truth.silent);
    roxi_json_put_count(&j, "not_blamed", w->truth.unknown);
    roxi_json_put_count(&j, "passed", w->where.passed);
    roxi_json_put_count(&j, "claimed", w->where.claimed);
    roxi_json_new_line(&j);
    put_sums(&j, &w->where);
    roxi_json_new_line(&j);
    roxi_json_key(&j, "runs");
    roxi_json_open(&j, '[');
    for (size_t i = 0; i < w->where.count && result == 0; i++)
        result = put_run(&j, w, &w->where.runs[i]);
    roxi_json_close(&j);
    roxi_json_end(&j);
    return result == 0 ? 0 : ix_fail(err, "out of memory");
}

/* ---- the whole ---- */

static int write_all(struct roxi_result *out, const struct work *w, struct ix_error *err)
{
    const struct roxi_evaluate_where *q = w->request;
    struct roxi_statement s = {0};
    roxi_state_loading(&s, &q->load);
    roxi_state_ranking(&s, &q->ranking);
    roxi_state_word(&s, "where", q->truth);
    roxi_state_word(&s, "blame", q->blame);
    const struct roxi_origin origin = roxi_origin_of(q->campaign, &s, w->profiles);
    int result;
    if (q->json)
        result = print_json(out->data.stream, w, &origin, err);
    else
        result = print_text(out->data.stream, w) == 0 ? 0 : ix_fail(err, "out of memory");
    return result == 0 ? roxi_result_commit(out, "evaluate", &origin, err) : result;
}

int roxi_evaluate_where(struct roxi_result *out, const struct roxi_evaluate_where *q,
                        struct ix_error *err)
{
    struct work w = {.request = q};
    int result = load(&w, err);
    if (result == 0)
        result = judge(&w, err);
    if (result == 0)
        result = write_all(out, &w, err);
    roxi_where_free(&w.where);
    roxi_ranking_free(&w.ranking);
    roxi_profiles_free(w.profiles);
    roxi_truth_free(&w.truth);
    free(w.histories);
    free(w.normal);
    free(w.failed);
    return result;
}
