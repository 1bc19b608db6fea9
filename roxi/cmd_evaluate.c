/* roxi evaluate: how well clusters find failures that are known, as the thesis' tables have it. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "roxi/command.h"
#include "roxi/effort_table.h"
#include "roxi/evaluate.h"
#include "roxi/json.h"
#include "roxi/load.h"
#include "roxi/plot.h"
#include "roxi/provenance.h"
#include "roxi/ranking.h"
#include "roxi/verdicts.h"

static const struct roxi_usage usage = {
    .args = "CAMPAIGN",
    .arg_count = 1,
    .about = "Prints, as CSV with a column for each strategy, what clustering makes of the\n"
             "executions that passed or failed, averaged over six clusterings: single,\n"
             "complete and average linkage, row scaling none and sqrt. Tables:\n"
             "  found       failures found by adaptive sampling, in %: expectations, exact\n"
             "  checked     executions that have to be looked at for it\n"
             "  purity      share of executions that are of their cluster's majority\n"
             "  lone-failures, lone-executions   alone in their clusters, in % of them\n"
             "  smallest    failures among the given % of the executions that are in the\n"
             "              smallest clusters, in %; averaged over the numbers of clusters\n"
             "With --effort, instead, a line for each way of looking for the failures: how\n"
             "many executions are looked at until all of them are found, and until 90 % are,\n"
             "and the average precision. Expectations, exact. Orders:\n"
             "  random          of all executions\n"
             "  rank            as 'roxi rank' has them, which is not told any verdict: with\n"
             "                  all aspects (no strategy named), and with call stacks alone\n"
             "  small-clusters  members of smaller clusters first\n"
             "  adaptive        one of a cluster, and if that failed all of it; cluster after\n"
             "                  cluster, in random order, and then the rest\n"
             "  adaptive-small  the same, smaller clusters first\n"
             "Numbers of clusters: those of the tables above, averaged over the six\n"
             "clusterings; and the best number and clustering in hindsight, for all failures\n"
             "and for 90 %.\n"
             "With --format svg as a plot: failures found, against executions looked at, or\n"
             "without --effort against numbers of clusters (table found).",
    .takes = (ROXI_OPTS_COMPARE & ~(unsigned)(ROXI_OPT_STRATEGY | ROXI_OPT_RESUME)) |
             ROXI_OPT_EFFORT | ROXI_OPT_ASPECTS | ROXI_OPT_JSON | ROXI_OPT_OUTPUT,
};

enum { STRATEGIES = 11 };

struct evaluation {
    const struct roxi_options *options;
    struct roxi_profiles *profiles;
    bool *failed; /* by execution */
    size_t failures, dropped;
    struct roxi_figures figures[STRATEGIES];
    struct roxi_effort_table effort; /* with --effort, instead */
};

static int read_verdicts(struct evaluation *e, struct ix_error *err)
{
    struct roxi_verdict *v = roxi_verdicts_load(e->options->args[0], e->profiles, err);
    if (!v)
        return -1;
    e->dropped = roxi_verdicts_drop_unknown(e->profiles, v);
    e->failed = calloc(e->profiles->count + 1, sizeof *e->failed);
    int result = e->failed ? 0 : ix_fail(err, "out of memory");
    for (size_t i = 0; result == 0 && i < e->profiles->count; i++) {
        e->failed[i] = v[i].verdict == IX_VERDICT_FAILED;
        e->failures += e->failed[i];
    }
    free(v);
    if (result == 0 && e->failures == 0)
        result = ix_fail(err,
                         "no execution of '%s' has the verdict failed; give verdicts with "
                         "'ixor label'",
                         e->options->args[0]);
    if (result == 0 && e->dropped)
        roxi_warn("%zu executions without a verdict are left out", e->dropped);
    return result;
}

/* A row of rank's with all aspects, or (a strategy is given) with call stacks alone. */
static int add_ranking(struct evaluation *e, const struct roxi_strategy *strategy,
                       struct ix_error *err)
{
    struct roxi_options o = *e->options;
    struct roxi_ranking r;
    struct roxi_effort_row row = {.order = "rank"};
    if (strategy) {
        o.strategy = strategy;
        o.aspects = 1u << ROXI_STACKS;
        row.strategy = strategy->name;
    }
    o.unmatched_cost = true; /* as rank has it */
    if (roxi_ranking_make(&r, e->profiles, &o, NULL, err) != 0)
        return -1;
    int result = roxi_effort_ranked(r.score, e->failed, e->profiles->count, &row.effort);
    if (result == 0 && e->effort.curves) {
        row.reached = calloc(e->failures + 1, sizeof *row.reached);
        result = row.reached
                     ? roxi_effort_ranked_curve(r.score, e->failed, e->profiles->count, row.reached)
                     : -1;
    }
    if (result == 0)
        result = roxi_effort_add(&e->effort, &row);
    else
        free(row.reached);
    roxi_ranking_free(&r);
    return result == 0 ? 0 : ix_fail(err, "out of memory");
}

static int begin_effort(struct evaluation *e, struct ix_error *err)
{
    struct roxi_effort_row random = {
        .order = "random", .effort = roxi_effort_random(e->profiles->count, e->failures)};
    e->effort.curves = e->options->svg;
    if (e->effort.curves) {
        random.reached = calloc(e->failures + 1, sizeof *random.reached);
        if (!random.reached)
            return ix_fail(err, "out of memory");
        roxi_effort_random_curve(e->profiles->count, e->failures, random.reached);
    }
    if (roxi_effort_add(&e->effort, &random) != 0)
        return ix_fail(err, "out of memory");
    int result = add_ranking(e, NULL, err);
    for (size_t i = 0; result == 0 && i < STRATEGIES; i++)
        if (roxi_strategy_is_distance(roxi_strategy_at(i)))
            result = add_ranking(e, roxi_strategy_at(i), err);
    return result;
}

static int compute(struct evaluation *e, struct ix_error *err)
{
    struct roxi_options o = *e->options;
    o.no_keeping = o.no_keeping || e->dropped; /* what is kept is of all executions */
    if (o.effort && begin_effort(e, err) != 0)
        return -1;
    for (size_t i = 0; i < STRATEGIES; i++) {
        struct roxi_features f;
        o.strategy = roxi_strategy_at(i);
        if (roxi_features_of(&f, e->profiles, o.args[0], &o, err) != 0)
            return -1;
        int result =
            o.effort
                ? roxi_effort_add_clusters(&e->effort, &f, o.strategy->name, e->failed, err)
                : roxi_evaluate(&f, e->failed, &e->figures[i], err);
        roxi_features_free(&f);
        if (result != 0)
            return -1;
    }
    return 0;
}

/* ---- output ---- */

/* Where a table's figures are in struct roxi_figures. */
struct table {
    const char *name;
    size_t offset, rows;
    const double *shares;
};

#define TABLE(label, member, rows, shares)                                                         \
    {                                                                                              \
        label, offsetof(struct roxi_figures, member) / sizeof(double), rows, shares                \
    }

static const struct table tables[] = {
    TABLE("found", found, ROXI_SHARES, roxi_evaluate_shares),
    TABLE("checked", checked, ROXI_SHARES, roxi_evaluate_shares),
    TABLE("purity", purity, ROXI_SHARES, roxi_evaluate_shares),
    TABLE("lone-failures", lone_failures, ROXI_SHARES, roxi_evaluate_shares),
    TABLE("lone-executions", lone_executions, ROXI_SHARES, roxi_evaluate_shares),
    TABLE("smallest", smallest, ROXI_SMALLEST, roxi_evaluate_smallest),
};
enum { TABLES = sizeof tables / sizeof *tables };

static double figure(const struct evaluation *e, size_t strategy, const struct table *t, size_t row)
{
    return ((const double *)&e->figures[strategy])[t->offset + row];
}

/* Empty where a row is not for one number of clusters. */
static void write_csv(FILE *out, const struct evaluation *e)
{
    fputs("table,clusters,percent_of_runs", out);
    for (size_t s = 0; s < STRATEGIES; s++)
        fprintf(out, ",%s", roxi_strategy_at(s)->name);
    for (const struct table *t = tables; t < tables + TABLES; t++) {
        for (size_t row = 0; row < t->rows; row++) {
            fprintf(out, "\n%s,", t->name);
            if (t->rows == ROXI_SHARES)
                fprintf(out, "%zu", roxi_evaluate_clusters(t->shares[row], e->profiles->count));
            fprintf(out, ",%g", t->shares[row]);
            for (size_t s = 0; s < STRATEGIES; s++)
                fprintf(out, ",%.6g", figure(e, s, t, row));
        }
    }
    putc('\n', out);
}

static void write_row(FILE *out, const struct evaluation *e, const struct table *t, size_t row)
{
    fprintf(out, "{\"percent\":%g", t->shares[row]);
    if (t->rows == ROXI_SHARES)
        fprintf(out, ",\"clusters\":%zu",
                roxi_evaluate_clusters(t->shares[row], e->profiles->count));
    for (size_t s = 0; s < STRATEGIES; s++) {
        fprintf(out, ",\"%s\":", roxi_strategy_at(s)->name);
        roxi_json_number(out, figure(e, s, t, row));
    }
    putc('}', out);
}

/* How a row's number of clusters was chosen: "2.5%", "best-all"; empty: there are none. */
static const char *choice_of(const struct roxi_effort_row *row, char text[16])
{
    text[0] = '\0';
    if (row->best)
        snprintf(text, 16, "best-%s", row->best);
    else if (row->share > 0)
        snprintf(text, 16, "%g%%", row->share);
    return text;
}

static void write_effort_csv(FILE *out, const struct evaluation *e)
{
    fputs("order,strategy,choice,clustering,clusters,all,ninety,average_precision\n", out);
    for (const struct roxi_effort_row *r = e->effort.rows; r < e->effort.rows + e->effort.count;
         r++) {
        char choice[16];
        fprintf(out, "%s,%s,%s,%s,", r->order, r->strategy ? r->strategy : "",
                choice_of(r, choice), r->clustering ? r->clustering : "");
        if (r->clusters)
            fprintf(out, "%zu", r->clusters);
        fprintf(out, ",%.6g,%.6g,", r->effort.all, r->effort.ninety);
        if (!isnan(r->effort.precision))
            fprintf(out, "%.6g", r->effort.precision);
        putc('\n', out);
    }
}

static void put_text(FILE *out, const char *name, const char *text)
{
    fprintf(out, "\"%s\":", name);
    if (text && *text)
        roxi_json_string(out, text);
    else
        fputs("null", out);
    putc(',', out);
}

static void write_effort_rows(FILE *out, const struct evaluation *e)
{
    for (size_t i = 0; i < e->effort.count; i++) {
        const struct roxi_effort_row *r = &e->effort.rows[i];
        char choice[16];
        fputs(i ? ",\n{" : "\n{", out);
        put_text(out, "order", r->order);
        put_text(out, "strategy", r->strategy);
        put_text(out, "choice", choice_of(r, choice));
        put_text(out, "clustering", r->clustering);
        if (r->clusters)
            fprintf(out, "\"clusters\":%zu,", r->clusters);
        else
            fputs("\"clusters\":null,", out);
        fputs("\"all\":", out);
        roxi_json_number(out, r->effort.all);
        fputs(",\"ninety\":", out);
        roxi_json_number(out, r->effort.ninety);
        fputs(",\"average-precision\":", out);
        roxi_json_number(out, r->effort.precision);
        putc('}', out);
    }
}

static void write_tables(FILE *out, const struct evaluation *e)
{
    for (size_t t = 0; t < TABLES; t++) {
        fprintf(out, "%s\n\"%s\":[", t ? "," : "", tables[t].name);
        for (size_t row = 0; row < tables[t].rows; row++) {
            fputs(row ? ",\n" : "\n", out);
            write_row(out, e, &tables[t], row);
        }
        putc(']', out);
    }
}

static void write_json(FILE *out, const struct evaluation *e)
{
    const struct roxi_origin origin = {e->options, usage.takes, e->profiles};
    roxi_json_begin(out, "evaluation", &origin);
    fprintf(out, ",\n\"executions\":%zu,\"failures\":%zu,\"without-verdict\":%zu,\n",
            e->profiles->count, e->failures, e->dropped);
    if (e->options->effort) {
        fputs("\"effort\":[", out);
        write_effort_rows(out, e);
        fputs("]}\n", out);
    } else {
        fputs("\"tables\":{", out);
        write_tables(out, e);
        fputs("}}\n", out);
    }
}

static int plot(FILE *out, const struct evaluation *e, const struct roxi_origin *origin,
                struct ix_error *err)
{
    const size_t n = e->profiles->count;
    return e->options->effort ? roxi_plot_effort(out, &e->effort, n, e->failures, origin, err)
                              : roxi_plot_found(out, e->figures, n, e->failures, origin, err);
}

static int run(struct roxi_result *out, struct roxi_options *o, struct ix_error *err)
{
    if (o->effort)
        roxi_ranking_prepare(o);
    struct evaluation e = {.options = o, .profiles = roxi_load(o->args[0], &o->load, err)};
    int result = e.profiles ? read_verdicts(&e, err) : -1;
    if (result == 0)
        result = compute(&e, err);
    if (result == 0) {
        const struct roxi_origin origin = {o, usage.takes, e.profiles};
        if (o->svg)
            result = plot(out->data.stream, &e, &origin, err);
        else
            (o->json ? write_json : o->effort ? write_effort_csv : write_csv)(out->data.stream, &e);
        if (result == 0)
            result = roxi_result_commit(out, "evaluate", &origin, err);
    }
    free(e.failed);
    roxi_effort_table_free(&e.effort);
    roxi_profiles_free(e.profiles);
    return result;
}

int roxi_cmd_evaluate(int argc, char **argv, struct ix_error *err)
{
    struct roxi_options o = roxi_options_default();
    struct roxi_result out;
    int status;
    if (!roxi_options_parse(&o, &usage, argc, argv, &status, err))
        return status;
    if (roxi_result_open(&out, &o, err) != 0)
        return ROXI_FAILED;
    int result = run(&out, &o, err);
    roxi_result_abandon(&out);
    return result == 0 ? ROXI_OK : ROXI_FAILED;
}
