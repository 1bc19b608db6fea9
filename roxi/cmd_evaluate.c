/* roxi evaluate: how well clusters find failures that are known, as the thesis' tables have it. */
#include <stddef.h>
#include <stdlib.h>

#include "roxi/command.h"
#include "roxi/evaluate.h"
#include "roxi/json.h"
#include "roxi/load.h"
#include "roxi/provenance.h"
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
             "              smallest clusters, in %; averaged over the numbers of clusters",
    .takes = (ROXI_OPTS_COMPARE & ~(unsigned)(ROXI_OPT_STRATEGY | ROXI_OPT_RESUME)) |
             ROXI_OPT_JSON | ROXI_OPT_OUTPUT,
};

enum { STRATEGIES = 11 };

struct evaluation {
    const struct roxi_options *options;
    struct roxi_profiles *profiles;
    bool *failed; /* by execution */
    size_t failures, dropped;
    struct roxi_figures figures[STRATEGIES];
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

static int compute(struct evaluation *e, struct ix_error *err)
{
    struct roxi_options o = *e->options;
    o.no_keeping = o.no_keeping || e->dropped; /* what is kept is of all executions */
    for (size_t i = 0; i < STRATEGIES; i++) {
        struct roxi_features f;
        o.strategy = roxi_strategy_at(i);
        if (roxi_features_of(&f, e->profiles, o.args[0], &o, err) != 0)
            return -1;
        int result = roxi_evaluate(&f, e->failed, &e->figures[i], err);
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

static void write_json(FILE *out, const struct evaluation *e)
{
    const struct roxi_origin origin = {e->options, usage.takes, e->profiles};
    roxi_json_begin(out, "evaluation", &origin);
    fprintf(out, ",\n\"executions\":%zu,\"failures\":%zu,\"without-verdict\":%zu,\n\"tables\":{",
            e->profiles->count, e->failures, e->dropped);
    for (size_t t = 0; t < TABLES; t++) {
        fprintf(out, "%s\n\"%s\":[", t ? "," : "", tables[t].name);
        for (size_t row = 0; row < tables[t].rows; row++) {
            fputs(row ? ",\n" : "\n", out);
            write_row(out, e, &tables[t], row);
        }
        putc(']', out);
    }
    fputs("}}\n", out);
}

static int run(struct roxi_result *out, const struct roxi_options *o, struct ix_error *err)
{
    struct evaluation e = {.options = o, .profiles = roxi_load(o->args[0], &o->load, err)};
    int result = e.profiles ? read_verdicts(&e, err) : -1;
    if (result == 0)
        result = compute(&e, err);
    if (result == 0) {
        (o->json ? write_json : write_csv)(out->data.stream, &e);
        const struct roxi_origin origin = {o, usage.takes, e.profiles};
        result = roxi_result_commit(out, "evaluate", &origin, err);
    }
    free(e.failed);
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
