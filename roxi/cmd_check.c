/* roxi check: executions that are unusual beside those of a campaign of good ones. */
#include <stdlib.h>
#include <string.h>

#include "roxi/calibrate.h"
#include "roxi/command.h"
#include "roxi/json.h"
#include "roxi/load.h"
#include "roxi/provenance.h"
#include "roxi/rank_words.h"
#include "roxi/ranking.h"
#include "roxi/verdicts.h"

static const struct roxi_usage usage = {
    .args = "CAMPAIGN",
    .arg_count = 1,
    .about = "Compares the executions of CAMPAIGN with those of another campaign that are good\n"
             "(--baseline GOOD; those with the verdict failed are left out), as 'roxi rank'\n"
             "does, and prints NAME<TAB>SCORE<TAB>WHY for each that is more unusual than good\n"
             "ones are, most unusual first. Exit status: 0 none is, 3 some are, 1 failure.\n"
             "Where unusual begins follows from the good ones' own scores, each beside the\n"
             "others of them: N of them allow a rate of false alarms of 1 / (N + 1) or more.\n"
             "The rate, and between which bounds it certainly (90 %) is, are told on standard\n"
             "error.",
    .takes = ROXI_OPTS_RANK | ROXI_OPT_BASELINE | ROXI_OPT_JSON | ROXI_OPT_OUTPUT,
};

struct check {
    struct roxi_options *options;
    struct roxi_profiles *profiles; /* of both campaigns, the checked one's first */
    size_t checked;                 /* how many these are */
    bool *good;                     /* owned; the baseline's */
    size_t good_count, failed_count;
    struct roxi_ranking ranking;
    double *good_scores; /* owned */
    struct roxi_alarm alarm;
    size_t *order; /* owned */
    size_t unusual;
};

/* Those of the baseline that nobody and nothing has called failed. */
static int find_good(struct check *c, struct ix_error *err)
{
    const size_t n = c->profiles->count - c->checked;
    const struct roxi_profiles baseline = {.executions = c->profiles->executions + c->checked,
                                           .count = n};
    struct roxi_verdict *v = roxi_verdicts_load(c->options->baseline, &baseline, err);
    c->good = calloc(c->profiles->count + 1, sizeof *c->good);
    for (size_t i = 0; v && c->good && i < n; i++) {
        const bool failed = v[i].verdict == IX_VERDICT_FAILED;
        c->good[c->checked + i] = !failed;
        c->failed_count += failed;
    }
    c->good_count = n - c->failed_count;
    free(v);
    if (!v)
        return -1;
    if (!c->good)
        return ix_fail(err, "out of memory");
    return c->good_count < ROXI_RANK_REFERENCE
               ? ix_fail(err, "the baseline '%s' has %zu good executions; %d at least are needed",
                         c->options->baseline, c->good_count, ROXI_RANK_REFERENCE)
               : 0;
}

static int calibrate(struct check *c, struct ix_error *err)
{
    size_t n = 0;
    c->good_scores = calloc(c->good_count, sizeof *c->good_scores);
    if (!c->good_scores)
        return ix_fail(err, "out of memory");
    for (size_t i = c->checked; i < c->profiles->count; i++)
        if (c->good[i])
            c->good_scores[n++] = c->ranking.score[i];
    c->alarm = roxi_calibrate(c->good_scores, n, c->options->alarm);
    return 0;
}

static int find_unusual(struct check *c, struct ix_error *err)
{
    bool *baseline = calloc(c->profiles->count + 1, sizeof *baseline);
    for (size_t i = c->checked; baseline && i < c->profiles->count; i++)
        baseline[i] = true;
    if (baseline)
        c->order = roxi_ranking_order(&c->ranking, baseline);
    free(baseline);
    if (!c->order)
        return ix_fail(err, "out of memory");
    while (c->unusual < c->checked && c->ranking.score[c->order[c->unusual]] > c->alarm.above)
        c->unusual++;
    return 0;
}

/* ---- output ---- */

static void tell(const struct check *c)
{
    const struct roxi_alarm *a = &c->alarm;
    if (c->failed_count)
        roxi_warn("%zu failed executions of the baseline are left out", c->failed_count);
    if (a->rate > c->options->alarm)
        roxi_warn(
            "%zu good executions allow no rate of false alarms below %.2g %%; --alarm asks for "
            "%.2g %%, which takes %.0f",
            c->good_count, 100 * a->rate, 100 * c->options->alarm, 1 / c->options->alarm - 1);
    roxi_warn("%zu of %zu executions are unusual: their scores are above %.3f, as are those of "
              "%.2g %% of good ones (%.2g to %.2g %%, learnt from %zu)",
              c->unusual, c->checked, roxi_ranking_shown(a->above), 100 * a->rate, 100 * a->low,
              100 * a->high, c->good_count);
}

static int write_lines(FILE *out, const struct check *c)
{
    for (size_t i = 0; i < c->unusual; i++) {
        const size_t e = c->order[i];
        fprintf(out, "%s\t%.3f\t", c->profiles->executions[e].name,
                roxi_ranking_shown(c->ranking.score[e]));
        if (roxi_rank_explain(out, &c->ranking, e) != 0)
            return -1;
        putc('\n', out);
    }
    return 0;
}

static void write_json(FILE *out, const struct check *c, const struct roxi_origin *origin)
{
    roxi_json_begin(out, "check", origin);
    fprintf(out, ",\n\"good\":%zu,\"above\":", c->good_count);
    roxi_json_number(out, c->alarm.above);
    fputs(",\"rate\":", out);
    roxi_json_number(out, c->alarm.rate);
    fputs(",\"rate-low\":", out);
    roxi_json_number(out, c->alarm.low);
    fputs(",\"rate-high\":", out);
    roxi_json_number(out, c->alarm.high);
    fprintf(out, ",\"unusual\":%zu,\n\"executions\":[", c->unusual);
    for (size_t i = 0; i < c->checked; i++) {
        const size_t e = c->order[i];
        fputs(i ? ",\n{\"name\":" : "\n{\"name\":", out);
        roxi_json_string(out, c->profiles->executions[e].name);
        fputs(",\"score\":", out);
        roxi_json_number(out, c->ranking.score[e]);
        fputs(",\"p-value\":", out);
        roxi_json_number(out, roxi_p_value(c->good_scores, c->good_count, c->ranking.score[e]));
        fprintf(out, ",\"unusual\":%s,\"why\":", i < c->unusual ? "true" : "false");
        roxi_rank_explain_json(out, &c->ranking, e);
        putc('}', out);
    }
    fputs("]}\n", out);
}

static int check(struct roxi_result *out, struct check *c, struct ix_error *err)
{
    const struct roxi_origin origin = {c->options, usage.takes, c->profiles};
    if (find_good(c, err) != 0 ||
        roxi_ranking_make(&c->ranking, c->profiles, c->options, c->good, err) != 0 ||
        calibrate(c, err) != 0 || find_unusual(c, err) != 0)
        return -1;
    tell(c);
    if (c->options->json)
        write_json(out->data.stream, c, &origin);
    else if (write_lines(out->data.stream, c) != 0)
        return ix_fail(err, "out of memory");
    return roxi_result_commit(out, "check", &origin, err);
}

static int run(struct roxi_result *out, struct roxi_options *o, struct ix_error *err)
{
    struct check c = {.options = o};
    roxi_ranking_prepare(o);
    c.profiles = roxi_load_both(o->args[0], o->baseline, &o->load, &c.checked, err);
    const int result = c.profiles ? check(out, &c, err) : -1;
    roxi_ranking_free(&c.ranking);
    roxi_profiles_free(c.profiles);
    free(c.good);
    free(c.good_scores);
    free(c.order);
    if (result != 0)
        return ROXI_FAILED;
    return c.unusual ? ROXI_UNUSUAL : ROXI_OK;
}

int roxi_cmd_check(int argc, char **argv, struct ix_error *err)
{
    struct roxi_options o = roxi_options_default();
    struct roxi_result out;
    int status;
    o.unmatched_cost = true; /* as rank */
    if (!roxi_options_parse(&o, &usage, argc, argv, &status, err))
        return status;
    if (!o.baseline) {
        ix_fail(err, "which executions are good? --baseline GOOD is missing");
        return ROXI_USAGE;
    }
    if (roxi_ranking_check(&o, err) != ROXI_OK)
        return ROXI_USAGE;
    if (roxi_result_open(&out, &o, err) != 0)
        return ROXI_FAILED;
    status = run(&out, &o, err);
    roxi_result_abandon(&out);
    return status;
}
