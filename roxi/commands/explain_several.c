/* SPDX-License-Identifier: Apache-2.0 */
/* roxi explain --failed, and roxi diff. */
#include <stdlib.h>
#include <string.h>

#include "roxi/campaign/load.h"
#include "roxi/campaign/tests.h"
#include "roxi/campaign/verdicts.h"
#include "roxi/commands/explain.h"
#include "roxi/explain/common.h"
#include "schema/base/grow.h"

struct work {
    struct roxi_explain_several *several;
    /* Names of the runs that may be explained, then NULL; owned, as is the rest. */
    char **histories;
    size_t count, cap;
    char *test, *other_test;        /* of which they are, if of any; another one of these */
    struct roxi_profiles *profiles; /* the runs' campaign first */
    size_t of_first;
    bool *of, *others;
    size_t of_count, others_count;
    struct roxi_ranking ranking;
    struct roxi_apart apart; /* of two campaigns */
    struct roxi_common common;
};

/* ---- which runs, before they are loaded ---- */

static int note_test(struct work *w, const char *test)
{
    char **place = !w->test ? &w->test : strcmp(w->test, test) != 0 ? &w->other_test : NULL;
    return !place || *place || (*place = strdup(test)) ? 0 : -1;
}

static int list_run(void *user, const struct ix_execution *e)
{
    struct work *w = user;
    const char *wanted = w->several->load.test, *test = ix_execution_test(e);
    if ((!w->several->others && e->verdict != IX_VERDICT_FAILED) ||
        (wanted && !(test && roxi_test_is(test, wanted))))
        return 0;
    char **names = ix_grow(w->histories, &w->cap, w->count + 2, sizeof *names);
    if (!names)
        return -1;
    w->histories = names;
    names[w->count + 1] = NULL;
    names[w->count] = strdup(e->name);
    return names[w->count++] && (!test || note_test(w, test) == 0) ? 0 : -1;
}

static int list_runs(struct work *w, struct ix_error *err)
{
    struct roxi_explain_several *s = w->several;
    struct ix_catalogue *c = ix_catalogue_open(s->campaign, IX_CATALOGUE_READ, err);
    if (!c)
        return -1;
    err->text[0] = '\0';
    const int result = ix_catalogue_executions(c, list_run, w, err);
    ix_catalogue_close(c);
    if (result != 0)
        return err->text[0] ? -1 : ix_fail(err, "out of memory");
    if (!w->count)
        return ix_fail(err, "no run of '%s'%s%s%s failed; see 'roxi rank %s'", s->campaign,
                       s->load.test ? ", test " : "", s->load.test ? s->load.test : "",
                       s->load.test ? "," : "", s->campaign);
    if (!s->load.test && w->other_test)
        return ix_fail(
            err,
            "runs of several tests %s in '%s', such as '%s' and '%s', which have nothing "
            "in common; choose one with --test",
            s->others ? "are" : "failed", s->campaign, w->test, w->other_test);
    s->load.histories = (const char *const *)w->histories;
    s->load.usual_histories = true;
    if (!w->other_test && w->test)
        s->load.test = w->test;
    return 0;
}

/* ---- the runs and the others ---- */

static int too_few(const struct work *w, struct ix_error *err)
{
    const struct roxi_explain_several *s = w->several;
    if (s->others)
        return ix_fail(err, "'%s' has %zu runs; at least %d are needed", s->others, w->others_count,
                       ROXI_RANK_REFERENCE);
    const char *test = s->load.test ? s->load.test : "";
    return ix_fail(
        err,
        "%zu runs of '%s'%s%s%s passed; at least %d are needed to compare with; %s %s RUN' "
        "%s",
        w->others_count, s->campaign, *test ? ", test " : "", test, *test ? "," : "",
        ROXI_RANK_REFERENCE, w->others_count ? "'roxi explain" : "'roxi waits", s->campaign,
        w->others_count ? "explains a run without them"
                        : "says who waits for whom in one that hung");
}

static bool is_listed(const struct work *w, const char *run)
{
    for (size_t i = 0; i < w->count; i++)
        if (strcmp(w->histories[i], run) == 0)
            return true;
    return false;
}

/* Not all runs of the catalogue need have been loaded (--test, --disturbed), and verdicts can have
 * changed since they were listed. */
static int choose(struct work *w, struct ix_error *err)
{
    const size_t n = w->profiles->count;
    const bool two = w->several->others;
    const struct roxi_profiles first = {.executions = w->profiles->executions,
                                        .count = w->of_first};
    struct roxi_verdict *v = roxi_verdicts_load(w->several->campaign, &first, err);
    if (!v)
        return -1;
    w->of = calloc(n + 1, sizeof *w->of);
    w->others = calloc(n + 1, sizeof *w->others);
    for (size_t i = 0; w->of && w->others && i < n; i++) {
        const bool in_first = i < w->of_first;
        w->of[i] = in_first && is_listed(w, w->profiles->executions[i].name);
        w->others[i] = !in_first || (!two && !w->of[i] && roxi_run_passed(w->profiles, v, i));
        w->of_count += w->of[i];
        w->others_count += w->others[i];
    }
    free(v);
    if (!w->of || !w->others)
        return ix_fail(err, "out of memory");
    if (!w->of_count)
        return ix_fail(err, "no run of '%s' that failed is looked at", w->several->campaign);
    return w->others_count >= ROXI_RANK_REFERENCE ? 0 : too_few(w, err);
}

static int compare(struct work *w, struct ix_error *err)
{
    struct roxi_explain_several *s = w->several;
    if (list_runs(w, err) != 0)
        return -1;
    w->profiles = roxi_load_both(s->campaign, s->others, &s->load, &w->of_first, err);
    if (!w->profiles || choose(w, err) != 0 ||
        roxi_ranking_make(&w->ranking, w->profiles, &s->ranking, w->others, err) != 0)
        return -1;
    if (s->others && roxi_apart_make(&w->apart, w->profiles, w->of, w->others) != 0)
        return ix_fail(err, "out of memory");
    return roxi_common_make(&w->common, &w->ranking, w->of, w->others, &w->apart, s->campaign,
                            s->load.threads, err);
}

static int write_all(struct roxi_result *out, const struct work *w, struct ix_error *err)
{
    const struct roxi_explain_several *s = w->several;
    const char *command = s->others ? "diff" : "explain";
    const struct roxi_common_words words = {.runs = s->others ? "of the second campaign"
                                                              : "that failed",
                                            .others = s->others ? "of the first" : "that passed",
                                            .all = s->explain.all,
                                            .apart = &w->apart};
    struct roxi_statement stated = {0};
    roxi_state_loading(&stated, &s->load);
    roxi_state_ranking(&stated, &s->ranking);
    roxi_state_word(&stated, "against", s->others ? s->others : "passed");
    const struct roxi_origin origin = roxi_origin_of(s->campaign, &stated, w->profiles);
    FILE *stream = out->data.stream;
    if (s->explain.format == ROXI_EXPLAIN_JSON) {
        struct roxi_json j = {.out = stream};
        if (roxi_json_begin(&j, command, &origin, err) != 0)
            return -1;
        roxi_json_new_line(&j);
        if (s->others)
            roxi_apart_json(&j, &w->apart, w->profiles->symbols);
        if (roxi_common_json(&j, w->profiles, &w->common) != 0)
            return ix_fail(err, "out of memory");
        roxi_json_end(&j);
    } else if ((s->explain.format == ROXI_EXPLAIN_MARKDOWN
                    ? roxi_common_markdown
                    : roxi_common_text)(stream, w->profiles, &w->common, &words) != 0) {
        return ix_fail(err, "out of memory");
    }
    return roxi_result_commit(out, command, &origin, err);
}

int roxi_explain_several(struct roxi_result *out, struct roxi_explain_several *several,
                         struct ix_error *err)
{
    struct work w = {.several = several};
    int result = compare(&w, err);
    if (result == 0)
        result = write_all(out, &w, err);
    roxi_common_free(&w.common);
    roxi_apart_free(&w.apart);
    roxi_ranking_free(&w.ranking);
    roxi_profiles_free(w.profiles);
    for (size_t i = 0; i < w.count; i++)
        free(w.histories[i]);
    free(w.histories);
    free(w.test);
    free(w.other_test);
    free(w.of);
    free(w.others);
    return result;
}
