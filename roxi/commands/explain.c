/* SPDX-License-Identifier: Apache-2.0 */
/* roxi explain: why a run is unusual. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "roxi/campaign/listing.h"
#include "roxi/campaign/load.h"
#include "roxi/commands/command.h"
#include "roxi/commands/commands.h"
#include "roxi/commands/explain.h"
#include "roxi/explain/normal.h"
#include "roxi/explain/words.h"
#include "roxi/rank/likeness.h"

static const char about[] =
    "Prints why RUN is unusual: its findings, the one to look at first on top. Each\n"
    "says which role or node, which threads, in which code, since which packet, for\n"
    "how long here and in typical runs, and how many normal runs show as much. In the\n"
    "call stack, '>' marks the call that departs. Normal runs are those that passed,\n"
    "if at least three did, otherwise those whose score is at most 1. If a run did\n"
    "not fail and is not worth a look, no finding is printed; if one that did not\n"
    "pass has none, the file with its output is named. With --failed: what failed\n"
    "runs have in common that passed runs do not have, and groups of runs whose\n"
    "findings are alike, which may have the same cause.";

/* Words of --against that are not the name of a run. */
#define NORMAL "normal"
#define PASSED "passed"

struct request {
    const char *campaign, *run;
    struct roxi_load_options load;
    struct roxi_ranking_options ranking;
    struct roxi_output_options output;
    struct roxi_explain_options explain;
    struct own {
        const char *against; /* NORMAL, PASSED, or a run */
        bool failed;
    } own;
};

struct work {
    struct request *request;
    struct roxi_profiles *profiles;
    size_t run;                    /* number */
    struct roxi_verdict *verdicts; /* owned, as is the rest */
    bool *reference;               /* by run: what is typical of these is compared with */
    bool *normal;
    struct roxi_ranking ranking;
    struct roxi_findings findings;
};

/* ---- the run, and those that it is compared with ---- */

static bool is_against(const struct request *q, const char *word)
{
    return strcmp(q->own.against, word) == 0;
}

/* Is it compared with one run? */
static bool is_one(const struct request *q)
{
    return !is_against(q, NORMAL) && !is_against(q, PASSED);
}

static int find_run(const struct work *w, const char *name, size_t *run, struct ix_error *err)
{
    const struct roxi_profiles *p = w->profiles;
    for (*run = 0; *run < p->count; (*run)++)
        if (strcmp(p->executions[*run].name, name) == 0)
            return 0;
    return ix_fail(err,
                   "run '%s' of '%s' is not among those that are compared: it is of another test, "
                   "or still going on",
                   name, w->request->campaign);
}

/* The names of the runs, whole; owned. */
struct names {
    char *run, *against;
};

/* Before the logs are read, which can take long. */
static int find_names(struct names *n, struct request *q, struct ix_error *err)
{
    if (!(n->run = roxi_listing_name(q->campaign, q->run, err)))
        return -1;
    q->run = n->run;
    if (!is_one(q))
        return 0;
    if (!(n->against = roxi_listing_name(q->campaign, q->own.against, err)))
        return ix_fail_in(err, "--against is neither " NORMAL " nor " PASSED);
    q->own.against = n->against;
    return 0;
}

static int choose_passed(struct work *w, struct ix_error *err)
{
    size_t count = 0;
    for (size_t i = 0; i < w->profiles->count; i++) {
        w->reference[i] = roxi_run_passed(w->profiles, w->verdicts, i);
        count += w->reference[i];
    }
    return count >= ROXI_RANK_REFERENCE
               ? 0
               : ix_fail(err,
                         "--against passed: %zu runs of '%s' passed, and at least %d are needed",
                         count, w->request->campaign, ROXI_RANK_REFERENCE);
}

static int choose_one(struct work *w, struct ix_error *err)
{
    size_t other;
    if (find_run(w, w->request->own.against, &other, err) != 0)
        return ix_fail_in(err, "--against");
    if (other == w->run)
        return ix_fail(err, "--against %s: that is the run itself", w->request->own.against);
    if (!roxi_profile_tells(&w->profiles->executions[other]))
        return ix_fail(err, "--against %s: nothing was counted in that run",
                       w->request->own.against);
    w->reference[other] = w->normal[other] = true;
    return 0;
}

/* What the run is compared with; --against normal: with all runs. */
static int choose_reference(struct work *w, struct ix_error *err)
{
    const size_t n = w->profiles->count;
    w->verdicts = roxi_verdicts_load(w->request->campaign, w->profiles, err);
    if (!w->verdicts)
        return -1;
    w->reference = calloc(n + 1, sizeof *w->reference);
    w->normal = calloc(n + 1, sizeof *w->normal);
    if (!w->reference || !w->normal)
        return ix_fail(err, "out of memory");
    if (is_against(w->request, NORMAL))
        return 0;
    return is_against(w->request, PASSED) ? choose_passed(w, err) : choose_one(w, err);
}

static int explain(struct work *w, struct ix_error *err)
{
    const bool all = is_against(w->request, NORMAL);
    const struct roxi_ranking_options *o = &w->request->ranking;
    const int ranked = all ? roxi_ranking_judged(&w->ranking, w->profiles, o, w->verdicts, err)
                           : roxi_ranking_make(&w->ranking, w->profiles, o, w->reference, err);
    if (ranked != 0)
        return -1;
    if (!is_one(w->request))
        roxi_normal_choose(w->normal, w->profiles, w->verdicts, &w->ranking);
    const bool worth = w->verdicts[w->run].verdict == IX_VERDICT_FAILED ||
                       w->ranking.score[w->run] > ROXI_WORTH_A_LOOK || w->request->explain.all;
    return worth ? roxi_findings_make(&w->findings, &w->ranking, w->run, w->normal,
                                      w->request->campaign, err)
                 : 0;
}

/* ---- output ---- */

static int write_json(FILE *out, const struct roxi_explanation *x, const struct roxi_origin *origin,
                      struct ix_error *err)
{
    struct roxi_json j = {.out = out};
    if (roxi_json_begin(&j, "explain", origin, err) != 0)
        return -1;
    roxi_json_new_line(&j);
    if (roxi_explain_json(&j, x) != 0)
        return ix_fail(err, "out of memory");
    roxi_json_end(&j);
    return 0;
}

/* What the run's command printed, if 'ixor run' has kept it; to be freed. NULL: it has not. */
static char *output_of(const struct work *w)
{
    char *path;
    struct stat st;
    if (asprintf(&path, "%s/runs/%s/output.txt", w->request->campaign,
                 w->profiles->executions[w->run].name) < 0)
        return NULL;
    if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
        return path;
    free(path);
    return NULL;
}

static int write_all(struct roxi_result *out, const struct work *w, struct ix_error *err)
{
    const struct request *q = w->request;
    char *output = output_of(w);
    const struct roxi_explanation x = {.profiles = w->profiles,
                                       .run = &w->profiles->executions[w->run],
                                       .verdict = w->verdicts[w->run].verdict,
                                       .score = w->ranking.score[w->run],
                                       .against = is_one(q) ? q->own.against : NULL,
                                       .all = q->explain.all,
                                       .output = output,
                                       .findings = &w->findings};
    struct roxi_statement s = {0};
    roxi_state_loading(&s, &q->load);
    roxi_state_ranking(&s, &q->ranking);
    roxi_state_word(&s, "against", q->own.against);
    const struct roxi_origin origin = roxi_origin_of(q->campaign, &s, w->profiles);
    int result = 0;
    if (q->explain.format == ROXI_EXPLAIN_JSON)
        result = write_json(out->data.stream, &x, &origin, err);
    else if ((q->explain.format == ROXI_EXPLAIN_MARKDOWN
                  ? roxi_explain_markdown
                  : roxi_explain_text)(out->data.stream, &x) != 0)
        result = ix_fail(err, "out of memory");
    free(output);
    return result == 0 ? roxi_result_commit(out, "explain", &origin, err) : result;
}

static int explain_one(struct roxi_result *out, struct request *q, struct ix_error *err)
{
    struct work w = {.request = q};
    const char *const histories[] = {q->run, NULL};
    q->load.histories = histories;
    q->load.usual_histories = true;
    w.profiles = roxi_load(q->campaign, &q->load, err);
    int result = w.profiles ? find_run(&w, q->run, &w.run, err) : -1;
    if (result == 0)
        result = choose_reference(&w, err);
    if (result == 0)
        result = explain(&w, err);
    if (result == 0)
        result = write_all(out, &w, err);
    roxi_findings_free(&w.findings);
    roxi_ranking_free(&w.ranking);
    roxi_profiles_free(w.profiles);
    free(w.verdicts);
    free(w.reference);
    free(w.normal);
    return result;
}

static int run_one(struct roxi_result *out, struct request *q, struct ix_error *err)
{
    struct names names = {0};
    int result = find_names(&names, q, err);
    if (result == 0)
        result = explain_one(out, q, err);
    free(names.run);
    free(names.against);
    return result;
}

static int run_failed(struct roxi_result *out, const struct request *q, struct ix_error *err)
{
    struct roxi_explain_several several = {
        .campaign = q->campaign, .load = q->load, .ranking = q->ranking, .explain = q->explain};
    return roxi_explain_several(out, &several, err);
}

static int run(struct roxi_result *out, void *request, struct ix_error *err)
{
    struct request *q = request;
    return q->own.failed ? run_failed(out, q, err) : run_one(out, q, err);
}

/* ---- options ---- */

static const struct ix_option shared_rows[] = {
    {
        .type = IX_OPTION_WORD,
        .name = "format",
        .value = "F",
        .help = "text, markdown or json",
        .preset = "text",
        .words = "text|markdown|json", /* in the order of enum roxi_explain_format */
        .offset = offsetof(struct roxi_explain_options, format),
    },
    ROXI_JSON_ROW(struct roxi_explain_options, format, ROXI_EXPLAIN_JSON),
    {
        .type = IX_OPTION_FLAG,
        .name = "all",
        .help = "print all findings, even of a run that is not worth a look",
        .offset = offsetof(struct roxi_explain_options, all),
    },
};

struct ix_option_group roxi_explain_rows(struct roxi_explain_options *o)
{
    return IX_OPTION_GROUP(shared_rows, o);
}

static const struct ix_option own_rows[] = {
    {
        .type = IX_OPTION_FLAG,
        .name = "failed",
        .help = "instead of RUN, explain all failed runs by what passed runs do not have",
        .offset = offsetof(struct own, failed),
    },
    {
        .type = IX_OPTION_TEXT,
        .name = "against",
        .value = "A",
        .help = "compare with what is typical of all runs (normal), with the runs that passed "
                "(passed), or with the run A alone",
        .preset = NORMAL,
        .offset = offsetof(struct own, against),
    },
};

static int complete(void *request, struct ix_error *err)
{
    const struct request *q = request;
    if (q->own.failed && q->run)
        return ix_fail(err, "RUN and --failed exclude each other");
    if (q->own.failed && is_one(q))
        return ix_fail(err, "--failed compares with all runs that passed, not --against %s",
                       q->own.against);
    return q->own.failed || q->run ? 0 : ix_fail(err, "name a run, or use --failed");
}

int roxi_cmd_explain(int argc, char **argv, struct ix_error *err)
{
    struct request q = {.load = roxi_default_load(), .own.against = NORMAL};
    const struct ix_option_group groups[] = {
        IX_OPTION_GROUP(own_rows, &q.own),
        roxi_explain_rows(&q.explain),
        roxi_ranking_rows(&q.ranking),
        roxi_output_rows(&q.output),
        roxi_load_rows(&q.load),
        roxi_memlimit_rows(),
        {0},
    };
    const struct roxi_command command = {.name = "explain",
                                         .about = about,
                                         .groups = groups,
                                         .request = &q,
                                         .args = "CAMPAIGN RUN|--failed",
                                         .of_run = true,
                                         .arguments = {&q.campaign, &q.run},
                                         .optional = 1,
                                         .output = &q.output,
                                         .complete = complete,
                                         .run = run};
    return roxi_command(&command, argc, argv, err);
}
