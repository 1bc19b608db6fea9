/* SPDX-License-Identifier: Apache-2.0 */
/* roxi explain --failed, and roxi diff. */
#include <stdlib.h>

#include "roxi/campaign/listing.h"
#include "roxi/campaign/load.h"
#include "roxi/commands/explain.h"
#include "roxi/explain/common.h"

struct work {
    struct roxi_explain_several *several;
    struct roxi_listing listing; /* of the runs' campaign; owned, as is the rest */
    const char **histories;
    struct roxi_profiles *profiles; /* the runs' campaign first */
    size_t of_first;
    bool *of, *others;
    size_t others_count;
    struct roxi_ranking ranking;
    struct roxi_common common;
};

static bool is_explained(const struct work *w, size_t listed)
{
    return w->several->others || w->listing.executions[listed].verdict == IX_VERDICT_FAILED;
}

/* Which runs are explained has to be known before they are loaded. */
static int list_runs(struct work *w, struct ix_error *err)
{
    size_t n = 0;
    if (roxi_listing_read(&w->listing, w->several->campaign, NULL, err) != 0)
        return -1;
    w->histories = calloc(w->listing.count + 1, sizeof *w->histories);
    if (!w->histories)
        return ix_fail(err, "out of memory");
    for (size_t i = 0; i < w->listing.count; i++)
        if (is_explained(w, i))
            w->histories[n++] = w->listing.executions[i].name;
    w->several->load.histories = w->histories;
    return n ? 0
             : ix_fail(err, "no run of '%s' failed; see 'roxi rank %s'", w->several->campaign,
                       w->several->campaign);
}

static int choose(struct work *w, struct ix_error *err)
{
    const size_t n = w->profiles->count;
    w->of = calloc(n + 1, sizeof *w->of);
    w->others = calloc(n + 1, sizeof *w->others);
    if (!w->of || !w->others)
        return ix_fail(err, "out of memory");
    for (size_t i = 0; i < n; i++) {
        const bool first = i < w->of_first && i < w->listing.count;
        if (first && is_explained(w, i))
            w->of[i] = true;
        else if (!first || w->listing.executions[i].verdict == IX_VERDICT_PASSED)
            w->others[i] = true;
        w->others_count += w->others[i];
    }
    if (w->others_count >= ROXI_RANK_REFERENCE)
        return 0;
    return w->several->others
               ? ix_fail(err, "'%s' has %zu runs; at least %d are needed", w->several->others,
                         w->others_count, ROXI_RANK_REFERENCE)
               : ix_fail(err,
                         "%zu runs of '%s' passed; at least %d are needed to compare with; 'roxi "
                         "explain %s RUN' explains a run without them",
                         w->others_count, w->several->campaign, ROXI_RANK_REFERENCE,
                         w->several->campaign);
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
    return roxi_common_make(&w->common, &w->ranking, w->of, w->others, s->campaign, s->load.threads,
                            err);
}

static int write_all(struct roxi_result *out, const struct work *w, struct ix_error *err)
{
    const struct roxi_explain_several *s = w->several;
    const char *command = s->others ? "diff" : "explain";
    const struct roxi_common_words words = {.runs = s->others ? "of the second campaign"
                                                              : "that failed",
                                            .others = s->others ? "of the first" : "that passed",
                                            .all = s->explain.all};
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
    roxi_ranking_free(&w.ranking);
    roxi_profiles_free(w.profiles);
    roxi_listing_free(&w.listing);
    free(w.histories);
    free(w.of);
    free(w.others);
    return result;
}
