/* SPDX-License-Identifier: Apache-2.0 */
/* roxi rank: the runs, most unusual first. */
#include <stdlib.h>

#include "roxi/base/text_escape.h"
#include "roxi/base/warn.h"
#include "roxi/campaign/load.h"
#include "roxi/campaign/verdicts.h"
#include "roxi/commands/command.h"
#include "roxi/commands/commands.h"
#include "roxi/rank/likeness.h"
#include "roxi/rank/words.h"
#include "roxi/report/plot.h"

static const char about[] =
    "Prints NAME<TAB>SCORE for each run, most unusual first. A run is unusual if its\n"
    "JVMs spent more or less time than is typical in some of the application's calls,\n"
    "took part for longer or shorter, or fell silent. Each role and class is a place\n"
    "that adds to the score by how far from typical the run is there, beside how much\n"
    "runs vary there anyway. 0 is typical; above 1 is worth a look. With --explain a\n"
    "third column shows what adds most to the score; 'Server 2 as Server 1' did what\n"
    "Server 1 typically does, and is compared as that. --format svg plots the scores,\n"
    "by verdict where one is known. Runs that passed and are unusual in the same\n"
    "places as one that failed are named on standard error.";

enum format { LINES, JSON, SVG };

struct request {
    const char *campaign;
    struct roxi_load_options load;
    struct roxi_ranking_options ranking;
    struct roxi_output_options output;
    struct own {
        enum format format;
        bool labelled; /* --reference labelled */
        bool explain;
    } own;
};

struct listing {
    struct request *request;
    struct roxi_profiles *profiles;
    bool *good; /* with --reference labelled; owned */
    struct roxi_ranking ranking;
    size_t *order; /* owned; most unusual first, then the good ones */
    long *like;    /* owned; likeness.h */
};

/* ---- good runs ---- */

static int find_good(struct listing *l, struct ix_error *err)
{
    size_t found = 0;
    const char *campaign = l->request->campaign;
    if (!l->request->own.labelled)
        return 0;
    l->good = calloc(l->profiles->count + 1, sizeof *l->good);
    struct roxi_verdict *v = roxi_verdicts_load(campaign, l->profiles, err);
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
                     "--reference labelled: users labelled %zu runs of '%s' passed, and at least "
                     "%d are needed; use 'ixor label'",
                     found, campaign, ROXI_RANK_REFERENCE)
               : 0;
}

/* ---- runs that passed, and look like failed ones ---- */

static int find_like(struct listing *l, struct ix_error *err)
{
    const size_t n = l->profiles->count;
    struct roxi_verdict *v = roxi_verdicts_load(l->request->campaign, l->profiles, err);
    bool *passed = calloc(n + 1, sizeof *passed), *failed = calloc(n + 1, sizeof *failed);
    for (size_t i = 0; v && passed && failed && i < n; i++) {
        passed[i] = v[i].verdict == IX_VERDICT_PASSED;
        failed[i] = v[i].verdict == IX_VERDICT_FAILED;
    }
    if (v && passed && failed)
        l->like = roxi_likeness(&l->ranking, passed, failed);
    if (v && !l->like)
        ix_fail(err, "out of memory");
    free(v);
    free(passed);
    free(failed);
    return l->like ? 0 : -1;
}

/* On standard error, in the order of the list. */
static void tell_like(const struct listing *l)
{
    const struct roxi_profile *x = l->profiles->executions;
    for (size_t i = 0; i < l->profiles->count; i++) {
        const size_t e = l->order[i];
        if (l->like[e] != ROXI_NOT_LIKE)
            roxi_warn("%s passed, but looks like %s, which failed", x[e].name, x[l->like[e]].name);
    }
}

/* ---- output ---- */

static int order_executions(struct listing *l, struct ix_error *err)
{
    l->order = roxi_ranking_order(&l->ranking, l->good);
    return l->order ? 0 : ix_fail(err, "out of memory");
}

static void write_lines(FILE *out, const struct listing *l)
{
    for (size_t i = 0; i < l->profiles->count; i++) {
        const size_t e = l->order[i];
        text_print(out, l->profiles->executions[e].name);
        fprintf(out, "\t%.3f", l->ranking.score[e]);
        if (l->request->own.explain) {
            putc('\t', out);
            roxi_rank_explain(out, &l->ranking, e);
        }
        putc('\n', out);
    }
}

static int write_json(FILE *out, const struct listing *l, const struct roxi_origin *origin,
                      struct ix_error *err)
{
    struct roxi_json j = {.out = out};
    if (roxi_json_begin(&j, "rank", origin, err) != 0)
        return -1;
    roxi_json_new_line(&j);
    roxi_json_key(&j, "executions");
    roxi_json_open(&j, '[');
    for (size_t i = 0; i < l->profiles->count; i++) {
        const size_t e = l->order[i];
        roxi_json_new_line(&j);
        roxi_json_open(&j, '{');
        roxi_json_put_string(&j, "name", l->profiles->executions[e].name);
        roxi_json_put_number(&j, "score", l->ranking.score[e]);
        if (l->good)
            roxi_json_put_bool(&j, "good", l->good[e]);
        roxi_json_put_string(
            &j, "like",
            l->like[e] == ROXI_NOT_LIKE ? NULL : l->profiles->executions[l->like[e]].name);
        if (l->request->own.explain) {
            roxi_json_key(&j, "why");
            roxi_rank_explain_json(roxi_json_value(&j), &l->ranking, e);
        }
        roxi_json_close(&j);
    }
    roxi_json_close(&j);
    roxi_json_end(&j);
    return 0;
}

static int plot(FILE *out, const struct listing *l, const struct roxi_origin *origin,
                struct ix_error *err)
{
    struct roxi_verdict *v = roxi_verdicts_load(l->request->campaign, l->profiles, err);
    const int result = v ? roxi_plot_rank(out, &l->ranking, l->order, v, origin, err) : -1;
    free(v);
    return result;
}

static int write_all(struct roxi_result *out, const struct listing *l, struct ix_error *err)
{
    const struct request *q = l->request;
    struct roxi_statement s = {0};
    roxi_state_loading(&s, &q->load);
    roxi_state_ranking(&s, &q->ranking);
    roxi_state_word(&s, "reference", q->own.labelled ? "labelled" : "all");
    const struct roxi_origin origin = roxi_origin_of(q->campaign, &s, l->profiles);
    int result = 0;
    if (q->own.format == SVG)
        result = plot(out->data.stream, l, &origin, err);
    else if (q->own.format == JSON)
        result = write_json(out->data.stream, l, &origin, err);
    else
        write_lines(out->data.stream, l);
    return result == 0 ? roxi_result_commit(out, "rank", &origin, err) : result;
}

static int run(struct roxi_result *out, void *request, struct ix_error *err)
{
    struct request *q = request;
    struct listing l = {.request = q};
    l.profiles = roxi_load(q->campaign, &q->load, err);
    int result = l.profiles ? find_good(&l, err) : -1;
    if (result == 0)
        result = roxi_ranking_make(&l.ranking, l.profiles, &q->ranking, l.good, err);
    if (result == 0)
        result = order_executions(&l, err);
    if (result == 0)
        result = find_like(&l, err);
    if (result == 0)
        result = write_all(out, &l, err);
    if (result == 0)
        tell_like(&l);
    roxi_ranking_free(&l.ranking);
    roxi_profiles_free(l.profiles);
    free(l.good);
    free(l.order);
    free(l.like);
    return result;
}

/* ---- options ---- */

static int set_json(void *target, const char *value, struct ix_error *err)
{
    (void)value, (void)err;
    ((struct own *)target)->format = JSON;
    return 0;
}

static const struct ix_option own_rows[] = {
    {
        .type = IX_OPTION_WORD,
        .name = "format",
        .value = "F",
        .help = "tsv, json, or svg: plot the scores",
        .preset = "tsv",
        .words = "tsv|json|svg", /* in the order of enum format */
        .offset = offsetof(struct own, format),
    },
    {
        .type = IX_OPTION_CALL,
        .name = "json",
        .help = "the same as --format json",
        .set = set_json,
    },
    {
        .type = IX_OPTION_SWITCH,
        .name = "reference",
        .value = "R",
        .help = "compare with all runs, or only with those that a user labelled passed: all, "
                "labelled; labelled runs are listed last then",
        .preset = "all",
        .words = "all|labelled",
        .offset = offsetof(struct own, labelled),
    },
    {
        .type = IX_OPTION_FLAG,
        .name = "explain",
        .help = "print what each score is made of",
        .offset = offsetof(struct own, explain),
    },
};

int roxi_cmd_rank(int argc, char **argv, struct ix_error *err)
{
    struct request q = {.load = roxi_default_matrix().load};
    const struct ix_option_group groups[] = {
        roxi_ranking_rows(&q.ranking), {own_rows, sizeof own_rows / sizeof *own_rows, &q.own},
        roxi_output_rows(&q.output),   roxi_load_rows(&q.load),
        roxi_memlimit_rows(),          {0},
    };
    const struct roxi_command command = {.name = "rank",
                                         .about = about,
                                         .groups = groups,
                                         .request = &q,
                                         .arguments = {&q.campaign},
                                         .output = &q.output,
                                         .run = run};
    return roxi_command(&command, argc, argv, err);
}
