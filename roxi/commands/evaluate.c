/* SPDX-License-Identifier: Apache-2.0 */
/* roxi evaluate: how well clusters find known failures, as in the thesis's tables. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "roxi/base/warn.h"
#include "roxi/campaign/load.h"
#include "roxi/campaign/verdicts.h"
#include "roxi/commands/command.h"
#include "roxi/commands/commands.h"
#include "roxi/commands/evaluate_where.h"
#include "roxi/evaluate/evaluate.h"
#include "roxi/evaluate/inspection_effort_table.h"
#include "roxi/rank/ranking.h"
#include "roxi/report/plot.h"

static const char about[] =
    "Prints, as CSV with a column for each strategy, how well clusters separate\n"
    "passed runs from failed ones, averaged over six clusterings: single, complete\n"
    "and average linkage, row scaling none and sqrt. Tables:\n"
    "  found       failures found by adaptive sampling, in %: exact expectations\n"
    "  checked     runs that have to be inspected to find them\n"
    "  purity      share of runs with the verdict of most runs of their cluster\n"
    "  lone-failures, lone-executions   share of them alone in their cluster, in %\n"
    "  smallest    failures among the given % of the runs that are in the smallest\n"
    "              clusters, in %; averaged over the numbers of clusters\n"
    "With --inspection-effort, instead, a line for each way of finding the failures:\n"
    "how many runs are inspected until all failures are found, and until 90 % are,\n"
    "and the average precision; exact expectations. Orders:\n"
    "  random          all runs in random order\n"
    "  rank            as 'roxi rank' lists them if it has no verdicts\n"
    "  length          those with the most packets first\n"
    "  small-clusters  members of smaller clusters first\n"
    "  adaptive        clusters in random order, one run of each, and if that failed\n"
    "                  all others of its cluster; then the remaining runs\n"
    "  adaptive-small  the same, smaller clusters first\n"
    "Numbers of clusters: those of the tables above, averaged over the six\n"
    "clusterings; and the best number and clustering in hindsight, for all failures\n"
    "and for 90 %.\n"
    "\n"
    "--format svg plots the failures found against the number of clusters (table\n"
    "found) or, with --inspection-effort, against the runs inspected.\n"
    "\n"
    "With --where and --blame, instead: how often 'roxi explain' names the role or\n"
    "node, the class and the moment of a known fault, which runs it misses, and what\n"
    "two plainer orders name: the places of the score by what they add, and the\n"
    "threads that stayed longest in one call stack. See docs/why.md.";

enum format { LINES, JSON, SVG };

struct request {
    const char *campaign;
    struct roxi_run_matrix_options matrix;
    struct roxi_ranking_options ranking;
    struct roxi_output_options output;
    struct own {
        bool effort;                /* instead of the thesis's tables */
        const char *strategy_rules; /* NULL: the same as for the ranking */
        const char *truth, *blame;  /* NULL: neither */
        enum format format;
    } own;
};

enum { STRATEGIES = 11 };

struct evaluation {
    const struct request *request;
    struct roxi_profiles *profiles; /* that are ranked */
    struct roxi_profiles *compared; /* by the strategies; with --strategy-rules others */
    bool *failed;                   /* by run */
    size_t failures, dropped;
    struct roxi_figures figures[STRATEGIES];
    struct roxi_inspection_effort_table effort; /* with --inspection-effort, instead */
};

/* Leaves out runs without a verdict. NULL on failure. */
static struct roxi_verdict *drop_unknown(struct roxi_profiles *p, const struct request *q,
                                         size_t *dropped, struct ix_error *err)
{
    struct roxi_verdict *v = roxi_verdicts_load(q->campaign, p, err);
    if (v)
        *dropped = roxi_verdicts_drop_unknown(p, v);
    return v;
}

/* For orders of runs: as they are ranked. */
static struct roxi_load_options load_of(const struct request *q)
{
    struct roxi_load_options load = q->matrix.load;
    load.to_the_end = q->own.effort || q->own.truth;
    return load;
}

/* The runs as the strategies compare them: with names by --strategy-rules, and only the packets
 * that several JVMs answered. */
static int load_compared(struct evaluation *e, struct ix_error *err)
{
    const struct request *q = e->request;
    struct roxi_load_options load = q->matrix.load;
    size_t dropped;
    e->compared = e->profiles;
    if (!q->own.strategy_rules && !(q->own.effort && load.min_vms == ROXI_AUTO_VMS))
        return 0;
    load.quiet = true;
    if (q->own.strategy_rules)
        load.rules = q->own.strategy_rules;
    e->compared = roxi_load(q->campaign, &load, err);
    struct roxi_verdict *v = e->compared ? drop_unknown(e->compared, q, &dropped, err) : NULL;
    free(v);
    return v ? 0 : -1;
}

static int read_verdicts(struct evaluation *e, struct ix_error *err)
{
    struct roxi_verdict *v = drop_unknown(e->profiles, e->request, &e->dropped, err);
    if (!v)
        return -1;
    e->failed = roxi_verdicts_failed(v, e->profiles->count, &e->failures, err);
    int result = e->failed ? 0 : -1;
    free(v);
    if (result == 0 && e->failures == 0)
        result = ix_fail(err,
                         "no run of '%s' has the verdict failed; give verdicts with "
                         "'ixor label'",
                         e->request->campaign);
    if (result == 0 && e->dropped)
        roxi_warn("%zu runs without a verdict are left out", e->dropped);
    return result;
}

/* Adds a row for the runs in the order of these scores. */
static int add_order(struct evaluation *e, const char *order, const double *score,
                     struct ix_error *err)
{
    const size_t n = e->profiles->count;
    struct roxi_inspection_effort_row row = {.order = order};
    int result = roxi_inspection_effort_ranked(score, e->failed, n, &row.effort);
    if (result == 0 && e->effort.curves) {
        row.reached = calloc(e->failures + 1, sizeof *row.reached);
        result = row.reached ? roxi_inspection_effort_ranked_curve(score, e->failed, n, row.reached)
                             : -1;
    }
    if (result == 0)
        result = roxi_inspection_effort_add(&e->effort, &row);
    else
        free(row.reached);
    return result == 0 ? 0 : ix_fail(err, "out of memory");
}

static int add_rank(struct evaluation *e, struct ix_error *err)
{
    struct roxi_ranking r;
    if (roxi_ranking_make(&r, e->profiles, &e->request->ranking, NULL, err) != 0)
        return -1;
    const int result = add_order(e, "rank", r.score, err);
    roxi_ranking_free(&r);
    return result;
}

/* The plainest order there is. */
static int add_length(struct evaluation *e, struct ix_error *err)
{
    double *length = calloc(e->profiles->count + 1, sizeof *length);
    if (!length)
        return ix_fail(err, "out of memory");
    for (size_t i = 0; i < e->profiles->count; i++) {
        const struct roxi_profile *x = &e->profiles->executions[i];
        length[i] = (double)roxi_participation_length(x->roles, x->role_count);
    }
    const int result = add_order(e, "length", length, err);
    free(length);
    return result;
}

static int begin_effort(struct evaluation *e, struct ix_error *err)
{
    struct roxi_inspection_effort_row random = {
        .order = "random",
        .effort = roxi_inspection_effort_random(e->profiles->count, e->failures)};
    e->effort.curves = e->request->own.format == SVG;
    if (e->effort.curves) {
        random.reached = calloc(e->failures + 1, sizeof *random.reached);
        if (!random.reached)
            return ix_fail(err, "out of memory");
        roxi_inspection_effort_random_curve(e->profiles->count, e->failures, random.reached);
    }
    if (roxi_inspection_effort_add(&e->effort, &random) != 0)
        return ix_fail(err, "out of memory");
    return add_rank(e, err) == 0 ? add_length(e, err) : -1;
}

/* Evaluates one strategy's clusters. */
static int add_strategy(struct evaluation *e, size_t i, struct roxi_run_matrix_options *o,
                        struct ix_error *err)
{
    struct roxi_run_matrix f;
    o->compare.strategy = roxi_strategy_at(i);
    if (roxi_run_matrix_of(&f, e->compared, e->request->campaign, o, err) != 0)
        return -1;
    const int result = e->request->own.effort
                           ? roxi_inspection_effort_add_clusters(
                                 &e->effort, &f, o->compare.strategy->name, e->failed, err)
                           : roxi_evaluate(&f, e->failed, &e->figures[i], err);
    roxi_run_matrix_free(&f);
    return result;
}

static int compute(struct evaluation *e, struct ix_error *err)
{
    struct roxi_run_matrix_options o = e->request->matrix;
    o.no_cache = o.no_cache || e->dropped; /* the cache is for all runs */
    if (e->request->own.effort && begin_effort(e, err) != 0)
        return -1;
    for (size_t i = 0; i < STRATEGIES; i++)
        if (add_strategy(e, i, &o, err) != 0)
            return -1;
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

/* Cells are empty in rows that do not apply to one number of clusters. */
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

/* How a row's number of clusters was chosen: "2.5%", "best-all"; empty if there are no clusters. */
static const char *choice_of(const struct roxi_inspection_effort_row *row, char text[16])
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
    for (const struct roxi_inspection_effort_row *r = e->effort.rows;
         r < e->effort.rows + e->effort.count; r++) {
        char choice[16];
        fprintf(out, "%s,%s,%s,%s,", r->order, r->strategy ? r->strategy : "", choice_of(r, choice),
                r->clustering ? r->clustering : "");
        if (r->clusters)
            fprintf(out, "%zu", r->clusters);
        fprintf(out, ",%.6g,%.6g,", r->effort.all, r->effort.ninety);
        if (!isnan(r->effort.precision))
            fprintf(out, "%.6g", r->effort.precision);
        putc('\n', out);
    }
}

static void put_row(struct roxi_json *j, const struct evaluation *e, const struct table *t,
                    size_t row)
{
    roxi_json_new_line(j);
    roxi_json_open(j, '{');
    roxi_json_key(j, "percent");
    fprintf(roxi_json_value(j), "%g", t->shares[row]);
    if (t->rows == ROXI_SHARES)
        roxi_json_put_count(j, "clusters",
                            roxi_evaluate_clusters(t->shares[row], e->profiles->count));
    for (size_t s = 0; s < STRATEGIES; s++)
        roxi_json_put_number(j, roxi_strategy_at(s)->name, figure(e, s, t, row));
    roxi_json_close(j);
}

static void put_tables(struct roxi_json *j, const struct evaluation *e)
{
    roxi_json_key(j, "tables");
    roxi_json_open(j, '{');
    for (size_t t = 0; t < TABLES; t++) {
        roxi_json_new_line(j);
        roxi_json_key(j, tables[t].name);
        roxi_json_open(j, '[');
        for (size_t row = 0; row < tables[t].rows; row++)
            put_row(j, e, &tables[t], row);
        roxi_json_close(j);
    }
    roxi_json_close(j);
}

static void put_effort_row(struct roxi_json *j, const struct roxi_inspection_effort_row *r)
{
    char choice[16];
    roxi_json_new_line(j);
    roxi_json_open(j, '{');
    roxi_json_put_string(j, "order", r->order);
    roxi_json_put_string(j, "strategy", r->strategy);
    roxi_json_put_string(j, "choice", *choice_of(r, choice) ? choice : NULL);
    roxi_json_put_string(j, "clustering", r->clustering);
    if (r->clusters)
        roxi_json_put_count(j, "clusters", r->clusters);
    else
        roxi_json_put_string(j, "clusters", NULL);
    roxi_json_put_number(j, "all", r->effort.all);
    roxi_json_put_number(j, "ninety", r->effort.ninety);
    roxi_json_put_number(j, "average-precision", r->effort.precision);
    roxi_json_close(j);
}

static void put_effort(struct roxi_json *j, const struct evaluation *e)
{
    roxi_json_key(j, "effort");
    roxi_json_open(j, '[');
    for (size_t i = 0; i < e->effort.count; i++)
        put_effort_row(j, &e->effort.rows[i]);
    roxi_json_close(j);
}

static int write_json(FILE *out, const struct evaluation *e, const struct roxi_origin *origin,
                      struct ix_error *err)
{
    struct roxi_json j = {.out = out};
    if (roxi_json_begin(&j, "evaluation", origin, err) != 0)
        return -1;
    roxi_json_new_line(&j);
    roxi_json_put_count(&j, "executions", e->profiles->count);
    roxi_json_put_count(&j, "failures", e->failures);
    roxi_json_put_count(&j, "without-verdict", e->dropped);
    roxi_json_new_line(&j);
    if (e->request->own.effort)
        put_effort(&j, e);
    else
        put_tables(&j, e);
    roxi_json_end(&j);
    return 0;
}

static int plot(FILE *out, const struct evaluation *e, const struct roxi_origin *origin,
                struct ix_error *err)
{
    const size_t n = e->profiles->count;
    return e->request->own.effort
               ? roxi_plot_inspection_effort(out, &e->effort, n, e->failures, origin, err)
               : roxi_plot_found(out, e->figures, n, e->failures, origin, err);
}

static int write_all(struct roxi_result *out, const struct evaluation *e, struct ix_error *err)
{
    const struct request *q = e->request;
    struct roxi_statement s = {0};
    FILE *stream = out->data.stream;
    int result = 0;
    roxi_state_comparing(&s, &q->matrix.load, &q->matrix.compare);
    roxi_state_diagonal(&s, &q->matrix.compare);
    roxi_state_ranking(&s, &q->ranking);
    roxi_state_word(&s, "strategy-rules", q->own.strategy_rules);
    const struct roxi_origin origin = roxi_origin_of(q->campaign, &s, e->profiles);
    if (q->own.format == SVG)
        result = plot(stream, e, &origin, err);
    else if (q->own.format == JSON)
        result = write_json(stream, e, &origin, err);
    else
        (q->own.effort ? write_effort_csv : write_csv)(stream, e);
    return result == 0 ? roxi_result_commit(out, "evaluate", &origin, err) : result;
}

static int run_clusters(struct roxi_result *out, const struct request *q, struct ix_error *err)
{
    const struct roxi_load_options load = load_of(q);
    struct evaluation e = {.request = q, .profiles = roxi_load(q->campaign, &load, err)};
    int result = e.profiles ? read_verdicts(&e, err) : -1;
    if (result == 0)
        result = load_compared(&e, err);
    if (result == 0)
        result = compute(&e, err);
    if (result == 0)
        result = write_all(out, &e, err);
    free(e.failed);
    roxi_inspection_effort_table_free(&e.effort);
    if (e.compared != e.profiles)
        roxi_profiles_free(e.compared);
    roxi_profiles_free(e.profiles);
    return result;
}

static int run(struct roxi_result *out, void *request, struct ix_error *err)
{
    const struct request *q = request;
    if (!q->own.truth)
        return run_clusters(out, q, err);
    const struct roxi_evaluate_where where = {.campaign = q->campaign,
                                              .truth = q->own.truth,
                                              .blame = q->own.blame,
                                              .load = load_of(q),
                                              .ranking = q->ranking,
                                              .json = q->own.format == JSON};
    return roxi_evaluate_where(out, &where, err);
}

/* ---- options ---- */

static int complete(void *request, struct ix_error *err)
{
    const struct own *own = &((struct request *)request)->own;
    if (!own->truth != !own->blame)
        return ix_fail(err, "--where and --blame are given together or not at all");
    if (own->truth && own->effort)
        return ix_fail(err, "--where and --inspection-effort exclude each other");
    return own->truth && own->format == SVG
               ? ix_fail(err, "--where prints text or JSON, not --format svg")
               : 0;
}

static const struct ix_option own_rows[] = {
    {
        .type = IX_OPTION_FLAG,
        .name = "inspection-effort",
        .help = "instead: how many runs are inspected until the failures are found, for each way "
                "of looking for them",
        .offset = offsetof(struct own, effort),
    },
    {
        .type = IX_OPTION_TEXT,
        .name = "where",
        .value = "TRUTH",
        .help = "instead: how often findings name the place of a fault; TRUTH is a table of runs "
                "with the fault of each, where and when it struck",
        .offset = offsetof(struct own, truth),
    },
    {
        .type = IX_OPTION_TEXT,
        .name = "blame",
        .value = "BLAME",
        .help = "with --where: a table of faults and the classes to blame",
        .offset = offsetof(struct own, blame),
    },
    {
        .type = IX_OPTION_TEXT,
        .name = "strategy-rules",
        .value = "FILE",
        .help = "rules for names where strategies compare runs, such as thesis; --rules then "
                "applies to the ranking only",
        .offset = offsetof(struct own, strategy_rules),
    },
    {
        .type = IX_OPTION_WORD,
        .name = "format",
        .value = "F",
        .help = "csv (with --where: text), json, or svg: plot curves",
        .preset = "csv",
        .words = "csv|json|svg", /* in the order of enum format */
        .offset = offsetof(struct own, format),
    },
    ROXI_JSON_ROW(struct own, format, JSON),
};

int roxi_cmd_evaluate(int argc, char **argv, struct ix_error *err)
{
    struct request q = {.matrix = roxi_default_matrix()};
    const struct ix_option_group groups[] = {
        IX_OPTION_GROUP(own_rows, &q.own),
        roxi_ranking_rows(&q.ranking),
        roxi_output_rows(&q.output),
        roxi_load_rows(&q.matrix.load),
        roxi_unmatched_rows(&q.matrix.compare),
        roxi_reward_rows(&q.matrix.compare),
        roxi_diagonal_rows(&q.matrix.compare),
        roxi_cache_rows(&q.matrix),
        roxi_engine_rows(&q.matrix.compare),
        roxi_memlimit_rows(),
        {0},
    };
    const struct roxi_command command = {.name = "evaluate",
                                         .about = about,
                                         .groups = groups,
                                         .request = &q,
                                         .arguments = {&q.campaign},
                                         .output = &q.output,
                                         .complete = complete,
                                         .run = run};
    return roxi_command(&command, argc, argv, err);
}
