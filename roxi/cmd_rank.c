/* roxi rank: the executions, most unusual first. */
#include <math.h>
#include <stdlib.h>

#include "roxi/command.h"
#include "roxi/json.h"
#include "roxi/load.h"
#include "roxi/options.h"
#include "roxi/provenance.h"
#include "roxi/rank.h"

static const struct roxi_usage usage = {
    .args = "CAMPAIGN",
    .arg_count = 1,
    .about = "Prints NAME<TAB>SCORE for each execution, most unusual first: by how many\n"
             "(robust) standard deviations its threads' call stacks are farther from those\n"
             "of its nearest neighbours than is typical in the campaign. Each thread is\n"
             "measured by how much it varies anyway. 0 is typical; above 3 worth a look.",
    .takes = ROXI_OPT_STRATEGY | ROXI_OPT_NEIGHBOURS | ROXI_OPT_LOADING | ROXI_OPT_UNMATCHED |
             ROXI_OPT_MATCH_REWARD | ROXI_OPT_OUTPUT | ROXI_OPT_JSON | ROXI_OPT_ENGINE |
             ROXI_OPT_PRUNING | ROXI_OPT_MEMLIMIT,
};

struct entry {
    const char *name;
    size_t order;
    double score;
};

static int by_score(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* Fills in how many neighbours were looked at, if that was not said. */
static int score(const struct roxi_profiles *p, struct roxi_options *o, struct entry *entries,
                 struct ix_error *err)
{
    size_t n = p->count;
    if (n < 2)
        return ix_fail(err, "the campaign '%s' has one execution, and nothing to compare it with",
                       o->args[0]);
    size_t k = o->neighbours ? o->neighbours : roxi_rank_neighbours(n);
    if (k > n - 1)
        return ix_fail(err, "--neighbours %zu: each of %zu executions has only %zu others", k, n,
                       n - 1);
    o->neighbours = k;
    struct roxi_compare_options compare = {.strategy = o->strategy,
                                           .match_reward = o->match_reward,
                                           .unmatched_cost = o->unmatched_cost,
                                           .engine = o->engine,
                                           .no_pruning = o->no_pruning};
    double *scores = calloc(n, sizeof *scores);
    if (!scores)
        return ix_fail(err, "out of memory");
    int result = roxi_rank(p, &compare, k, scores, err);
    for (size_t i = 0; i < n && result == 0; i++)
        entries[i] =
            (struct entry){.name = p->executions[i].name, .order = i, .score = scores[i]};
    free(scores);
    return result;
}

static double shown(double score)
{
    return fabs(score) < 0.0005 ? 0 : score; /* not -0.000 */
}

static void write_lines(FILE *out, const struct entry *entries, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s\t%.3f\n", entries[i].name, shown(entries[i].score));
}

static void write_json(FILE *out, const struct entry *entries, size_t n,
                       const struct roxi_origin *origin)
{
    roxi_json_begin(out, "rank", origin);
    fputs(",\n\"executions\":[", out);
    for (size_t i = 0; i < n; i++) {
        fputs(i ? ",\n{\"name\":" : "\n{\"name\":", out);
        roxi_json_string(out, entries[i].name);
        fputs(",\"score\":", out);
        roxi_json_number(out, entries[i].score);
        putc('}', out);
    }
    fputs("]}\n", out);
}

static int run(struct roxi_result *out, struct roxi_options *o, struct ix_error *err)
{
    struct roxi_profiles *profiles = roxi_load(o->args[0], &o->load, err);
    if (!profiles)
        return -1;
    size_t n = profiles->count;
    const struct roxi_origin origin = {o, usage.takes, profiles};
    struct entry *entries = calloc(n, sizeof *entries);
    int result = entries ? score(profiles, o, entries, err) : ix_fail(err, "out of memory");
    if (result == 0) {
        qsort(entries, n, sizeof *entries, by_score);
        if (o->json)
            write_json(out->data.stream, entries, n, &origin);
        else
            write_lines(out->data.stream, entries, n);
        result = roxi_result_commit(out, "rank", &origin, err);
    }
    free(entries);
    roxi_profiles_free(profiles);
    return result;
}

int roxi_cmd_rank(int argc, char **argv, struct ix_error *err)
{
    struct roxi_options o = roxi_options_default();
    o.unmatched_cost = true; /* an execution that lacks a thread must not look closer */
    struct roxi_result out;
    int status;
    if (!roxi_options_parse(&o, &usage, argc, argv, &status, err))
        return status;
    if (!roxi_strategy_is_distance(o.strategy)) {
        ix_fail(err, "--strategy %s counts; rank needs distances between call stacks",
                o.strategy->name);
        return ROXI_USAGE;
    }
    if (roxi_result_open(&out, &o, err) != 0)
        return ROXI_FAILED;
    int result = run(&out, &o, err);
    roxi_result_abandon(&out);
    return result == 0 ? ROXI_OK : ROXI_FAILED;
}
