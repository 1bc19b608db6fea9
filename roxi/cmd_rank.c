/* roxi rank: the executions, most unusual first. */
#include <stdlib.h>

#include "roxi/command.h"
#include "roxi/json.h"
#include "roxi/load.h"
#include "roxi/plot.h"
#include "roxi/provenance.h"
#include "roxi/rank_words.h"
#include "roxi/ranking.h"
#include "roxi/verdicts.h"

static const struct roxi_usage usage = {
    .args = "CAMPAIGN",
    .arg_count = 1,
    .about = "Prints NAME<TAB>SCORE for each execution, most unusual first: by how many\n"
             "(robust) standard deviations it is farther from its nearest neighbours than is\n"
             "typical in the campaign: in the call stacks of its threads, and in other\n"
             "aspects:\n"
             "  stacks   call stacks, by the strategy\n"
             "  ends     how its JVMs ended, and whether their logs are whole\n"
             "  early    how many packets came after a JVM's last one\n"
             "  states   how often a thread ran, was blocked, waited, slept\n"
             "and, if asked for (--aspects):\n"
             "  packets  how many packets its JVMs answered, and lost in a row\n"
             "  threads  how many live threads there were, at most and at the end\n"
             "  stays    how long call stacks last\n"
             "  moves    which call stack follows which\n"
             "Each is measured, thread by thread, by how much it varies anyway. 0 is typical;\n"
             "above 3 worth a look. With --explain a third column says what the score is made\n"
             "of; 'Server 2 as Server 1': it did what Server 1 typically does, and is compared\n"
             "as that. With --format svg the scores as a plot, by verdict where one is known.",
    .takes = ROXI_OPTS_RANK | ROXI_OPT_RANKING | ROXI_OPT_OUTPUT | ROXI_OPT_JSON,
};

struct listing {
    struct roxi_options *options; /* neighbours: those that were looked at */
    struct roxi_profiles *profiles;
    bool *good; /* with --reference labelled; owned */
    struct roxi_ranking ranking;
    size_t *order; /* owned; most unusual first, then those known to be good */
};

/* ---- who is known to be good ---- */

static int find_good(struct listing *l, struct ix_error *err)
{
    size_t found = 0;
    if (!l->options->by_labelled)
        return 0;
    l->good = calloc(l->profiles->count + 1, sizeof *l->good);
    struct roxi_verdict *v = roxi_verdicts_load(l->options->args[0], l->profiles, err);
    for (size_t i = 0; v && l->good && i < l->profiles->count; i++) {
        l->good[i] = v[i].verdict == IX_VERDICT_PASSED && roxi_verdict_settled(v[i], false);
        found += l->good[i];
    }
    free(v);
    if (!v)
        return -1;
    if (!l->good)
        return ix_fail(err, "out of memory");
    return found < ROXI_RANK_REFERENCE
               ? ix_fail(
                     err,
                     "--reference labelled: users have called %zu executions of '%s' passed, and "
                     "%d at least are needed; use 'ixor label'",
                     found, l->options->args[0], ROXI_RANK_REFERENCE)
               : 0;
}

/* ---- output ---- */

static int order_executions(struct listing *l, struct ix_error *err)
{
    l->order = roxi_ranking_order(&l->ranking, l->good);
    return l->order ? 0 : ix_fail(err, "out of memory");
}

static int write_lines(FILE *out, const struct listing *l)
{
    for (size_t i = 0; i < l->profiles->count; i++) {
        const size_t e = l->order[i];
        fprintf(out, "%s\t%.3f", l->profiles->executions[e].name,
                roxi_ranking_shown(l->ranking.score[e]));
        if (l->options->explain) {
            putc('\t', out);
            if (roxi_rank_explain(out, &l->ranking, e) != 0)
                return -1;
        }
        putc('\n', out);
    }
    return 0;
}

static void write_json(FILE *out, const struct listing *l, const struct roxi_origin *origin)
{
    roxi_json_begin(out, "rank", origin);
    fputs(",\n\"executions\":[", out);
    for (size_t i = 0; i < l->profiles->count; i++) {
        const size_t e = l->order[i];
        fputs(i ? ",\n{\"name\":" : "\n{\"name\":", out);
        roxi_json_string(out, l->profiles->executions[e].name);
        fputs(",\"score\":", out);
        roxi_json_number(out, l->ranking.score[e]);
        if (l->good)
            fprintf(out, ",\"good\":%s", l->good[e] ? "true" : "false");
        if (l->options->explain) {
            fputs(",\"why\":", out);
            roxi_rank_explain_json(out, &l->ranking, e);
        }
        putc('}', out);
    }
    fputs("]}\n", out);
}

static int plot(FILE *out, const struct listing *l, const struct roxi_origin *origin,
                struct ix_error *err)
{
    struct roxi_verdict *v = roxi_verdicts_load(l->options->args[0], l->profiles, err);
    const int result = v ? roxi_plot_rank(out, &l->ranking, l->order, v, origin, err) : -1;
    free(v);
    return result;
}

static int list(struct roxi_result *out, struct listing *l, struct ix_error *err)
{
    const struct roxi_origin origin = {l->options, usage.takes, l->profiles};
    int result = find_good(l, err);
    if (result == 0)
        result = roxi_ranking_make(&l->ranking, l->profiles, l->options, l->good, err);
    if (result == 0)
        result = order_executions(l, err);
    if (result == 0 && l->options->svg)
        result = plot(out->data.stream, l, &origin, err);
    else if (result == 0 && l->options->json)
        write_json(out->data.stream, l, &origin);
    else if (result == 0 && write_lines(out->data.stream, l) != 0)
        result = ix_fail(err, "out of memory");
    return result == 0 ? roxi_result_commit(out, "rank", &origin, err) : result;
}

static int run(struct roxi_result *out, struct roxi_options *o, struct ix_error *err)
{
    struct listing l = {.options = o};
    roxi_ranking_prepare(o);
    l.profiles = roxi_load(o->args[0], &o->load, err);
    const int result = l.profiles ? list(out, &l, err) : -1;
    roxi_ranking_free(&l.ranking);
    roxi_profiles_free(l.profiles);
    free(l.good);
    free(l.order);
    return result;
}

int roxi_cmd_rank(int argc, char **argv, struct ix_error *err)
{
    struct roxi_options o = roxi_options_default();
    struct roxi_result out;
    int status;
    o.unmatched_cost = true; /* an execution that lacks a thread must not look closer */
    if (!roxi_options_parse(&o, &usage, argc, argv, &status, err))
        return status;
    if (roxi_ranking_check(&o, err) != ROXI_OK)
        return ROXI_USAGE;
    if (roxi_result_open(&out, &o, err) != 0)
        return ROXI_FAILED;
    int result = run(&out, &o, err);
    roxi_result_abandon(&out);
    return result == 0 ? ROXI_OK : ROXI_FAILED;
}
