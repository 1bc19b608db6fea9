/* SPDX-License-Identifier: Apache-2.0 */
/* roxi check: runs that are unusual compared with those of a campaign of good ones. */
#include <stdlib.h>
#include <string.h>

#include "roxi/base/text_escape.h"
#include "roxi/base/warn.h"
#include "roxi/baseline/baseline.h"
#include "roxi/campaign/load.h"
#include "roxi/campaign/verdicts.h"
#include "roxi/ci/alarms.h"
#include "roxi/commands/command.h"
#include "roxi/commands/commands.h"
#include "roxi/commands/step.h"
#include "roxi/rank/calibrate.h"
#include "roxi/rank/ranking.h"
#include "roxi/rank/words.h"

static const char about[] =
    "Compares the runs of CAMPAIGN with those of a campaign of good runs (--baseline\n"
    "GOOD; runs of it that failed are left out), as 'roxi rank' does, and prints\n"
    "NAME<TAB>SCORE<TAB>WHY for each run that is more unusual than good runs are,\n"
    "most unusual first. Exit status: 0 no run is unusual, 3 some are, 1 failure. The\n"
    "threshold follows from the scores of the good runs, each compared with the other\n"
    "good ones: with N good runs the rate of false alarms cannot be below 1 / (N +\n"
    "1). The rate and its 90 % confidence interval are printed to standard error. If\n"
    "$GITHUB_STEP_SUMMARY is set, a summary in Markdown is appended to the file that\n"
    "it names.";

struct request {
    const char *campaign;
    struct roxi_load_options load;
    struct roxi_ranking_options ranking;
    struct roxi_output_options output;
    struct own {
        const char *baseline;
        double false_alarms; /* as a share of good runs */
    } own;
    bool json;
};

struct check {
    struct request *request;
    const char *baseline;           /* the directory of the campaign of good runs */
    struct roxi_profiles *profiles; /* of both campaigns, those of the checked one first */
    size_t checked;                 /* how many of them are checked */
    bool *good;                     /* owned; the baseline's good runs */
    size_t good_count, failed_count;
    struct roxi_ranking ranking;
    double *good_scores; /* owned */
    struct roxi_alarm alarm;
    size_t *order; /* owned */
    size_t unusual;
    struct roxi_step step;
};

/* Good runs are those of the baseline that have something to compare and not the verdict failed. */
static int find_good(struct check *c, struct ix_error *err)
{
    const size_t n = c->profiles->count - c->checked;
    const struct roxi_profiles baseline = {.executions = c->profiles->executions + c->checked,
                                           .count = n};
    struct roxi_verdict *v = roxi_verdicts_load(c->baseline, &baseline, err);
    c->good = calloc(c->profiles->count + 1, sizeof *c->good);
    for (size_t i = 0; v && c->good && i < n; i++) {
        const bool failed = v[i].verdict == IX_VERDICT_FAILED;
        c->good[c->checked + i] = !failed && roxi_profile_tells(&baseline.executions[i]);
        c->good_count += c->good[c->checked + i];
        c->failed_count += failed;
    }
    free(v);
    if (!v)
        return -1;
    if (!c->good)
        return ix_fail(err, "out of memory");
    return c->good_count < ROXI_RANK_REFERENCE
               ? ix_fail(err, "the baseline '%s' has %zu good runs; at least %d are needed",
                         c->request->own.baseline, c->good_count, ROXI_RANK_REFERENCE)
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
    c->alarm = roxi_calibrate(c->good_scores, n, c->request->own.false_alarms);
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

static void print_summary(const struct check *c)
{
    const struct roxi_alarm *a = &c->alarm;
    if (c->failed_count)
        roxi_warn("%zu failed run%s of the baseline %s left out", c->failed_count,
                  c->failed_count == 1 ? "" : "s", c->failed_count == 1 ? "is" : "are");
    if (a->rate > c->request->own.false_alarms)
        roxi_warn(
            "with %zu good runs the lowest rate of false alarms is %.2g %%; --false-alarms %.2g%% "
            "needs %.0f",
            c->good_count, 100 * a->rate, 100 * c->request->own.false_alarms,
            1 / c->request->own.false_alarms - 1);
    roxi_warn("%zu of %zu runs are unusual: their scores are above %.3f, as are those of "
              "%.2g %% of good ones (%.2g to %.2g %%, learned from %zu)",
              c->unusual, c->checked, a->above, 100 * a->rate, 100 * a->low, 100 * a->high,
              c->good_count);
}

static void write_lines(FILE *out, const struct check *c)
{
    for (size_t i = 0; i < c->unusual; i++) {
        const size_t e = c->order[i];
        text_print(out, c->profiles->executions[e].name);
        fprintf(out, "\t%.3f\t", c->ranking.score[e]);
        roxi_rank_explain(out, &c->ranking, e);
        putc('\n', out);
    }
}

static void put_run(struct roxi_json *j, const struct check *c, size_t i)
{
    const size_t e = c->order[i];
    roxi_json_new_line(j);
    roxi_json_open(j, '{');
    roxi_json_put_string(j, "name", c->profiles->executions[e].name);
    roxi_json_put_number(j, "score", c->ranking.score[e]);
    roxi_json_put_number(j, "p-value",
                         roxi_p_value(c->good_scores, c->good_count, c->ranking.score[e]));
    roxi_json_put_bool(j, "unusual", i < c->unusual);
    roxi_json_key(j, "why");
    roxi_rank_explain_json(roxi_json_value(j), &c->ranking, e);
    roxi_json_close(j);
}

static int write_json(FILE *out, const struct check *c, const struct roxi_origin *origin,
                      struct ix_error *err)
{
    struct roxi_json j = {.out = out};
    if (roxi_json_begin(&j, "check", origin, err) != 0)
        return -1;
    roxi_json_new_line(&j);
    roxi_json_put_count(&j, "good", c->good_count);
    roxi_json_put_number(&j, "above", c->alarm.above);
    roxi_json_put_number(&j, "rate", c->alarm.rate);
    roxi_json_put_number(&j, "rate-low", c->alarm.low);
    roxi_json_put_number(&j, "rate-high", c->alarm.high);
    roxi_json_put_count(&j, "unusual", c->unusual);
    roxi_json_new_line(&j);
    roxi_json_key(&j, "executions");
    roxi_json_open(&j, '[');
    for (size_t i = 0; i < c->checked; i++)
        put_run(&j, c, i);
    roxi_json_close(&j);
    roxi_json_end(&j);
    return 0;
}

static int write_all(struct roxi_result *out, const struct check *c, struct ix_error *err)
{
    const struct request *q = c->request;
    struct roxi_statement s = {0};
    roxi_state_loading(&s, &q->load);
    roxi_state_ranking(&s, &q->ranking);
    roxi_state_word(&s, "baseline", q->own.baseline);
    roxi_state_number(&s, "false-alarms", q->own.false_alarms);
    const struct roxi_origin origin = roxi_origin_of(q->campaign, &s, c->profiles);
    if (q->json) {
        if (write_json(out->data.stream, c, &origin, err) != 0)
            return -1;
    } else {
        write_lines(out->data.stream, c);
    }
    return roxi_result_commit(out, "check", &origin, err);
}

static int add_to_step(struct check *c, struct ix_error *err)
{
    if (!c->step.out)
        return 0;
    const struct roxi_ci_alarms a = {.profiles = c->profiles,
                                     .ranking = &c->ranking,
                                     .alarm = c->alarm,
                                     .good = c->good_count,
                                     .checked = c->checked,
                                     .order = c->order,
                                     .unusual = c->unusual};
    char *text = roxi_ci_alarms(&a, err);
    if (!text)
        return -1;
    roxi_step_add(&c->step, text);
    free(text);
    return roxi_step_close(&c->step, err);
}

static int check(struct roxi_result *out, struct check *c, struct ix_error *err)
{
    if (find_good(c, err) != 0 ||
        roxi_ranking_make(&c->ranking, c->profiles, &c->request->ranking, c->good, err) != 0 ||
        calibrate(c, err) != 0 || find_unusual(c, err) != 0)
        return -1;
    print_summary(c);
    return add_to_step(c, err) == 0 ? write_all(out, c, err) : -1;
}

static int check_with(struct roxi_result *out, struct request *q, const char *baseline,
                      struct ix_error *err)
{
    struct check c = {.request = q, .baseline = baseline};
    if (roxi_step_open(&c.step, err) == 0)
        c.profiles = roxi_load_both(q->campaign, baseline, &q->load, &c.checked, err);
    const int result = c.profiles ? check(out, &c, err) : -1;
    roxi_ranking_free(&c.ranking);
    roxi_profiles_free(c.profiles);
    free(c.good);
    free(c.good_scores);
    free(c.order);
    roxi_step_abandon(&c.step);
    if (result != 0)
        return -1;
    return c.unusual ? ROXI_UNUSUAL : ROXI_OK;
}

static int run(struct roxi_result *out, void *request, struct ix_error *err)
{
    struct request *q = request;
    char *unpacked = NULL;
    if (!baseline_is_file(q->own.baseline))
        return check_with(out, q, q->own.baseline, err);
    if (!(unpacked = baseline_unpack(q->own.baseline, err)))
        return -1;
    const int result = check_with(out, q, unpacked, err);
    baseline_discard(unpacked);
    return result;
}

/* ---- options ---- */

/* Accepts 1% or 0.01. */
static int set_false_alarms(void *target, const char *value, struct ix_error *err)
{
    struct own *o = target;
    char *end;
    o->false_alarms = strtod(value, &end);
    if (end != value && strcmp(end, "%") == 0) {
        o->false_alarms /= 100;
        end++;
    }
    if (end == value || *end || !(o->false_alarms > 0 && o->false_alarms <= 0.5))
        return ix_fail(err, "'%s' is not a rate above 0 and up to 50%%, such as 1%% or 0.01",
                       value);
    return 0;
}

static const struct ix_option own_rows[] = {
    {
        .type = IX_OPTION_TEXT,
        .name = "baseline",
        .value = "GOOD",
        .help = "a campaign of good runs: its directory, or a file of 'roxi baseline'; required",
        .offset = offsetof(struct own, baseline),
    },
    {
        .type = IX_OPTION_CALL,
        .name = "false-alarms",
        .value = "RATE",
        .help = "the largest share of good runs that may be called unusual: 1%, or 0.01",
        .preset = "1%",
        .set = set_false_alarms,
    },
};

static int complete(void *request, struct ix_error *err)
{
    const struct request *q = request;
    return q->own.baseline ? 0 : ix_fail(err, "which runs are good? --baseline GOOD is missing");
}

int roxi_cmd_check(int argc, char **argv, struct ix_error *err)
{
    struct request q = {.load = roxi_default_load(), .own = {.false_alarms = 0.01}};
    const struct ix_option_group groups[] = {
        IX_OPTION_GROUP(own_rows, &q.own),
        roxi_ranking_rows(&q.ranking),
        roxi_json_rows(&q.json),
        roxi_output_rows(&q.output),
        roxi_load_rows(&q.load),
        roxi_memlimit_rows(),
        {0},
    };
    const struct roxi_command command = {.name = "check",
                                         .about = about,
                                         .groups = groups,
                                         .request = &q,
                                         .arguments = {&q.campaign},
                                         .output = &q.output,
                                         .complete = complete,
                                         .run = run};
    return roxi_command(&command, argc, argv, err);
}
