/* SPDX-License-Identifier: Apache-2.0 */
/* roxi rank: the runs, most unusual first. */
#include <stdlib.h>
#include <string.h>

#include "roxi/base/text_escape.h"
#include "roxi/base/text_wrap.h"
#include "roxi/base/warn.h"
#include "roxi/campaign/load.h"
#include "roxi/campaign/verdicts.h"
#include "roxi/commands/command.h"
#include "roxi/commands/commands.h"
#include "roxi/explain/normal.h"
#include "roxi/explain/words.h"
#include "roxi/rank/likeness.h"
#include "roxi/rank/words.h"
#include "roxi/report/plot.h"

static const char about[] =
    "Prints NAME<TAB>SCORE for each run, most unusual first, and on a terminal a\n"
    "table with verdicts. A run is unusual if its JVMs spent more or less time than\n"
    "is typical in some of the application's calls, took part for a longer or shorter\n"
    "time, or fell silent. Each class in a role is a place; it adds to the score by\n"
    "how far from typical the run is there, compared with how much runs vary there\n"
    "anyway. 0 is typical; above 1 is worth a look. If some runs failed, behaviour\n"
    "that is common among those that passed does not raise the score of one of them.\n"
    "With --explain, the first finding of 'roxi explain' is printed below each of the\n"
    "first 50 runs that failed or are worth a look; 'Server 2 as Server 1' did what\n"
    "Server 1 typically does, and is compared with that. --format svg plots the\n"
    "scores, with verdicts in colour. Runs that passed but are unusual in the same\n"
    "places as a failed run are named on standard error. A message also says if more\n"
    "than a third of those that passed are unusual.";

/* BY_OUTPUT: TABLE on a terminal, otherwise LINES. */
enum format { LINES, JSON, SVG, TABLE, BY_OUTPUT };
enum {
    LIKE_MOST = 10, /* lines about runs that look like failed ones */
    VARIED = 3, /* runs that passed, of which more than one is worth a look: they differ much; */
    VARIED_LEAST = 10, /* at least so many */
    EXPLAINED = 50,    /* runs: their histories take most of the memory */
    INDENT = 4,        /* of an explanation, */
    LINES_MOST = 2,    /* and its length */
};

struct request {
    const char *campaign;
    struct roxi_load_options load;
    struct roxi_ranking_options ranking;
    struct roxi_output_options output;
    struct own {
        enum format format;
        bool labelled; /* --reference labelled */
        bool explain;
        const char *disturbed; /* as roxi_load_options.disturbed */
    } own;
};

/* A run that is explained. */
struct explained {
    size_t run;
    bool found; /* there is a finding */
    struct roxi_finding first;
};

struct listing {
    struct request *request;
    struct roxi_profiles *profiles;
    struct roxi_verdict *verdicts; /* owned, as is the rest */
    bool *good;                    /* with --reference labelled; else NULL */
    struct roxi_ranking ranking;
    size_t *order;                         /* most unusual first, then the good ones */
    long *like;                            /* likeness.h */
    struct explained explained[EXPLAINED]; /* in order */
    size_t explained_count, normal_count;
};

/* ---- good runs ---- */

static int find_good(struct listing *l, struct ix_error *err)
{
    size_t found = 0;
    const char *campaign = l->request->campaign;
    if (!l->request->own.labelled)
        return 0;
    l->good = calloc(l->profiles->count + 1, sizeof *l->good);
    if (!l->good)
        return ix_fail(err, "out of memory");
    for (size_t i = 0; i < l->profiles->count; i++) {
        l->good[i] = roxi_run_passed(l->profiles, l->verdicts, i) &&
                     roxi_verdict_settled(l->verdicts[i], false);
        found += l->good[i];
    }
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
    bool *passed = calloc(n + 1, sizeof *passed), *failed = calloc(n + 1, sizeof *failed);
    for (size_t i = 0; passed && failed && i < n; i++) {
        passed[i] = roxi_run_passed(l->profiles, l->verdicts, i);
        failed[i] = l->verdicts[i].verdict == IX_VERDICT_FAILED;
    }
    if (passed && failed)
        l->like = roxi_likeness(&l->ranking, passed, failed);
    free(passed);
    free(failed);
    return l->like ? 0 : ix_fail(err, "out of memory");
}

/* On standard error, in the order of the list. */
static void tell_like(const struct listing *l)
{
    const struct roxi_profile *x = l->profiles->executions;
    size_t told = 0;
    for (size_t i = 0; i < l->profiles->count; i++) {
        const size_t e = l->order[i];
        if (l->like[e] != ROXI_NOT_LIKE && told++ < LIKE_MOST)
            roxi_warn("%s passed, but looks like %s, which failed", x[e].name, x[l->like[e]].name);
    }
    if (told > LIKE_MOST)
        roxi_warn("%zu more runs passed, but look like failed ones; --json lists them",
                  told - LIKE_MOST);
}

/* If many of the runs that passed are worth a look, it is the runs that differ. */
static void tell_varied(const struct listing *l)
{
    size_t passed = 0, above = 0;
    for (size_t i = 0; i < l->profiles->count; i++) {
        if (!roxi_run_passed(l->profiles, l->verdicts, i))
            continue;
        passed++;
        above += l->ranking.score[i] > ROXI_WORTH_A_LOOK;
    }
    if (passed >= VARIED_LEAST && VARIED * above > passed)
        roxi_warn(
            "%zu of the %zu runs that passed score above 1: they differ much, as if the machine "
            "had been busy for a part of the campaign; trust the order more than the scores",
            above, passed);
}

/* ---- explanations ---- */

static int rank(struct listing *l, struct ix_error *err)
{
    return l->good ? roxi_ranking_make(&l->ranking, l->profiles, &l->request->ranking, l->good, err)
                   : roxi_ranking_judged(&l->ranking, l->profiles, &l->request->ranking,
                                         l->verdicts, err);
}

static size_t choose_explained(struct listing *l, size_t *runs)
{
    for (size_t i = 0; i < l->profiles->count && l->explained_count < EXPLAINED; i++) {
        const size_t run = l->order[i];
        if ((l->good && l->good[run]) || (l->verdicts[run].verdict != IX_VERDICT_FAILED &&
                                          l->ranking.score[run] <= ROXI_WORTH_A_LOOK))
            continue;
        runs[l->explained_count] = run;
        l->explained[l->explained_count++].run = run;
    }
    return l->explained_count;
}

static int find_first(struct listing *l, struct ix_error *err)
{
    const size_t n = l->profiles->count;
    bool *chosen = calloc(n + 1, sizeof *chosen);
    const bool *normal = l->good ? l->good : chosen;
    int result = chosen ? 0 : ix_fail(err, "out of memory");
    if (chosen)
        roxi_normal_choose(chosen, l->profiles, l->verdicts, &l->ranking);
    for (size_t i = 0; i < l->explained_count && result == 0; i++) {
        struct explained *x = &l->explained[i];
        struct roxi_findings f;
        result = roxi_findings_make(&f, &l->ranking, x->run, normal, l->request->campaign, err);
        if (result != 0)
            break;
        x->found = f.count > 0;
        if (x->found)
            x->first = f.list[0];
        l->normal_count = f.normal;
        roxi_findings_free(&f);
    }
    free(chosen);
    return result;
}

/* Only the ranking tells which histories are needed. */
static int explain(struct listing *l, struct ix_error *err)
{
    size_t runs[EXPLAINED];
    if (!l->request->own.explain || l->request->own.format == SVG || !choose_explained(l, runs))
        return 0;
    roxi_ranking_free(&l->ranking);
    struct roxi_profiles *again = roxi_load_again(l->request->campaign, &l->request->load,
                                                  l->profiles, runs, l->explained_count, err);
    if (!again)
        return -1;
    roxi_profiles_free(l->profiles);
    l->profiles = again;
    return rank(l, err) == 0 ? find_first(l, err) : -1;
}

/* NULL: it is not explained. */
static const struct explained *explained_at(const struct listing *l, size_t run)
{
    for (size_t i = 0; i < l->explained_count; i++)
        if (l->explained[i].run == run)
            return &l->explained[i];
    return NULL;
}

/* ---- output ---- */

static int order_executions(struct listing *l, struct ix_error *err)
{
    l->order = roxi_ranking_order(&l->ranking, l->good);
    return l->order ? 0 : ix_fail(err, "out of memory");
}

/* -1: memory ran out. */
static int write_explained(FILE *out, const struct listing *l, const struct explained *x)
{
    const struct roxi_symbols *names = l->profiles->symbols;
    struct ix_text t;
    if (ix_text_open(&t) != 0)
        return -1;
    if (x->found) {
        roxi_finding_say_where(t.out, names, &x->first);
        roxi_finding_say_when(t.out, &l->profiles->executions[x->run], &x->first);
        fputs(": ", t.out);
        roxi_finding_say(t.out, names, &x->first, 0, true);
    } else {
        fputs(roxi_profile_tells(&l->profiles->executions[x->run])
                  ? "nothing in its call stacks is unusual"
                  : ROXI_NO_STACKS,
              t.out);
    }
    fprintf(out, "%*s", INDENT, "");
    return roxi_close_wrapped(
        out, &t,
        (struct roxi_wrap){.indent = INDENT, .used = INDENT, .lines = LINES_MOST, .whole = true});
}

/* The columns of the longest name, and of the heading above it. */
static size_t name_columns(const struct listing *l)
{
    size_t most = strlen("run");
    for (size_t i = 0; i < l->profiles->count; i++) {
        const size_t columns = text_columns(l->profiles->executions[i].name);
        if (columns > most)
            most = columns;
    }
    return most;
}

/* For people, in columns `names` of which are for names. */
static void write_row(FILE *out, const struct listing *l, size_t place, size_t names)
{
    const size_t e = l->order[place];
    const char *name = l->profiles->executions[e].name;
    const enum ix_verdict verdict = l->verdicts[e].verdict;
    fprintf(out, "%4zu  ", place + 1);
    text_print(out, name);
    fprintf(out, "%*s  %10.3f  %s\n", (int)(names - text_columns(name)), "", l->ranking.score[e],
            verdict == IX_VERDICT_UNKNOWN ? "-" : ix_verdict_name(verdict));
}

/* For programs. */
static void write_line(FILE *out, const struct listing *l, size_t place)
{
    const size_t e = l->order[place];
    text_print(out, l->profiles->executions[e].name);
    fprintf(out, "\t%.3f\n", l->ranking.score[e]);
}

static int write_runs(FILE *out, const struct listing *l, struct ix_error *err)
{
    const bool table = l->request->own.format == TABLE;
    const size_t names = table ? name_columns(l) : 0;
    if (table)
        fprintf(out, "rank  %-*s  %10s  verdict\n", (int)names, "run", "score");
    for (size_t i = 0; i < l->profiles->count; i++) {
        const struct explained *x = explained_at(l, l->order[i]);
        if (table)
            write_row(out, l, i, names);
        else
            write_line(out, l, i);
        if (x && write_explained(out, l, x) != 0)
            return ix_fail(err, "out of memory");
    }
    return 0;
}

/* The members "why" and "finding" of a run. -1: memory ran out. */
static int put_explained(struct roxi_json *j, const struct listing *l, size_t run)
{
    const struct explained *x = explained_at(l, run);
    int result = 0;
    roxi_json_key(j, "why");
    roxi_rank_explain_json(roxi_json_value(j), &l->ranking, run);
    roxi_json_key(j, "finding");
    if (x && x->found) {
        roxi_json_open(j, '{');
        result = roxi_finding_json(j, l->profiles, &l->profiles->executions[run], &x->first,
                                   l->normal_count);
        roxi_json_close(j);
    } else {
        fputs("null", roxi_json_value(j));
    }
    return result;
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
        if (l->request->own.explain && put_explained(&j, l, e) != 0)
            return ix_fail(err, "out of memory");
        roxi_json_close(&j);
    }
    roxi_json_close(&j);
    roxi_json_end(&j);
    return 0;
}

static int write_all(struct roxi_result *out, const struct listing *l, struct ix_error *err)
{
    const struct request *q = l->request;
    struct roxi_statement s = {0};
    roxi_state_loading(&s, &q->load);
    roxi_state_ranking(&s, &q->ranking);
    if (q->own.disturbed)
        roxi_state_word(&s, "disturbed", q->own.disturbed);
    roxi_state_word(&s, "reference", q->own.labelled ? "labelled" : "all");
    const struct roxi_origin origin = roxi_origin_of(q->campaign, &s, l->profiles);
    int result = 0;
    if (q->own.format == SVG)
        result = roxi_plot_rank(out->data.stream, &l->ranking, l->order, l->verdicts, &origin, err);
    else if (q->own.format == JSON)
        result = write_json(out->data.stream, l, &origin, err);
    else
        result = write_runs(out->data.stream, l, err);
    return result == 0 ? roxi_result_commit(out, "rank", &origin, err) : result;
}

static int run(struct roxi_result *out, void *request, struct ix_error *err)
{
    struct request *q = request;
    struct listing l = {.request = q};
    if (q->own.format == BY_OUTPUT)
        q->own.format = roxi_output_is_terminal(&out->data) ? TABLE : LINES;
    q->load.disturbed = q->own.disturbed;
    l.profiles = roxi_load(q->campaign, &q->load, err);
    if (l.profiles)
        l.verdicts = roxi_verdicts_load(q->campaign, l.profiles, err);
    int result = l.verdicts ? find_good(&l, err) : -1;
    if (result == 0)
        result = rank(&l, err);
    if (result == 0)
        result = order_executions(&l, err);
    if (result == 0)
        result = find_like(&l, err);
    if (result == 0)
        result = explain(&l, err);
    if (result == 0)
        result = write_all(out, &l, err);
    if (result == 0) {
        tell_varied(&l);
        tell_like(&l);
    }
    roxi_ranking_free(&l.ranking);
    roxi_profiles_free(l.profiles);
    free(l.verdicts);
    free(l.good);
    free(l.order);
    free(l.like);
    return result;
}

/* ---- options ---- */

static const struct ix_option own_rows[] = {
    {
        .type = IX_OPTION_WORD,
        .name = "format",
        .value = "F",
        .help = "tsv, json, svg: plot the scores, or table: with verdicts, for people",
        .preset = "table on a terminal, else tsv",
        .words = "tsv|json|svg|table", /* in the order of enum format */
        .offset = offsetof(struct own, format),
    },
    ROXI_JSON_ROW(struct own, format, JSON),
    {
        .type = IX_OPTION_SWITCH,
        .name = "reference",
        .value = "R",
        .help = "compare with all runs, or only with those that a person labelled passed, which "
                "are listed last: all, labelled",
        .preset = "all",
        .words = "all|labelled",
        .offset = offsetof(struct own, labelled),
    },
    {
        .type = IX_OPTION_TEXT,
        .name = "disturbed",
        .value = "HOW",
        .help = "rank only the runs that 'ixor run --disturb HOW' disturbed in this way, or none: "
                "those that were not disturbed. Default: all, with a warning if they differ",
        .offset = offsetof(struct own, disturbed),
    },
    {
        .type = IX_OPTION_FLAG,
        .name = "explain",
        .help = "print the first finding of runs that failed or are worth a look; reads the logs a "
                "second time",
        .offset = offsetof(struct own, explain),
    },
};

int roxi_cmd_rank(int argc, char **argv, struct ix_error *err)
{
    struct request q = {.load = roxi_default_load(), .own.format = BY_OUTPUT};
    const struct ix_option_group groups[] = {
        roxi_ranking_rows(&q.ranking), IX_OPTION_GROUP(own_rows, &q.own),
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
