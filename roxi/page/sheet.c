/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/page/sheet.h"

#include <stdlib.h>

#include "roxi/campaign/load.h"
#include "roxi/explain/normal.h"
#include "roxi/rank/likeness.h"

bool roxi_sheet_is_unusual(const struct roxi_sheet *s, size_t run)
{
    return s->verdicts[run].verdict == IX_VERDICT_FAILED ||
           (s->ranked && s->ranking.score[run] > ROXI_WORTH_A_LOOK);
}

/* ---- normal and unusual runs ---- */

static void count_verdicts(struct roxi_sheet *s)
{
    s->passed = s->failed = 0;
    for (size_t i = 0; i < s->profiles->count; i++) {
        s->passed += s->verdicts[i].verdict == IX_VERDICT_PASSED;
        s->failed += s->verdicts[i].verdict == IX_VERDICT_FAILED;
    }
}

static void judge(struct roxi_sheet *s)
{
    count_verdicts(s);
    s->normal_count =
        roxi_normal_choose(s->normal, s->profiles, s->verdicts, s->ranked ? &s->ranking : NULL);
    s->unusual = 0;
    for (size_t i = 0; i < s->profiles->count; i++) {
        const size_t run = s->order[i];
        if (roxi_sheet_is_unusual(s, run))
            s->worth[s->unusual++] = run;
    }
}

static int rank(struct roxi_sheet *s, const struct roxi_sheet_options *o, struct ix_error *err)
{
    const size_t n = s->profiles->count;
    s->ranked = n >= ROXI_RANK_REFERENCE;
    if (s->ranked &&
        roxi_ranking_judged(&s->ranking, s->profiles, &o->ranking, s->verdicts, err) != 0)
        return -1;
    s->order = s->ranked ? roxi_ranking_order(&s->ranking, NULL) : calloc(n + 1, sizeof *s->order);
    if (!s->order)
        return ix_fail(err, "out of memory");
    for (size_t i = 0; !s->ranked && i < n; i++)
        s->order[i] = i;
    return 0;
}

/* ---- what is shown ---- */

/* The last run in order that is normal and not unusual; the number of runs: there is none. */
static size_t find_typical(const struct roxi_sheet *s)
{
    const size_t n = s->profiles->count;
    for (size_t i = n; s->ranked && i-- > 0;) {
        const size_t run = s->order[i];
        if (!roxi_sheet_is_unusual(s, run) && roxi_profile_tells(&s->profiles->executions[run]))
            return run;
    }
    return n;
}

static void choose_shown(struct roxi_sheet *s, size_t most)
{
    const size_t n = s->profiles->count, typical = find_typical(s);
    const size_t *from = s->ranked ? s->worth : s->order;
    const size_t wanted = s->ranked ? s->unusual : n;
    s->shown_count = 0;
    for (size_t i = 0; i < wanted && i < most; i++)
        s->shown[s->shown_count++] = (struct roxi_shown){.run = from[i]};
    s->has_typical = typical < n;
    if (s->has_typical)
        s->shown[s->shown_count++] = (struct roxi_shown){.run = typical};
}

static int find(struct roxi_sheet *s, const char *campaign, struct ix_error *err)
{
    for (size_t i = 0; s->ranked && i < s->shown_count - s->has_typical; i++)
        if (roxi_findings_make(&s->shown[i].findings, &s->ranking, s->shown[i].run, s->normal,
                               campaign, err) != 0)
            return -1;
    return 0;
}

/* ---- the whole ---- */

/* Of profiles that it takes over. */
static int judge_all(struct roxi_sheet *s, struct roxi_profiles *profiles, const char *campaign,
                     const struct roxi_sheet_options *o, struct ix_error *err)
{
    *s = (struct roxi_sheet){.profiles = profiles};
    if (!s->profiles)
        return -1;
    const size_t n = s->profiles->count;
    s->verdicts = roxi_verdicts_load(campaign, s->profiles, err);
    if (!s->verdicts || rank(s, o, err) != 0)
        return -1;
    s->normal = calloc(n + 1, sizeof *s->normal);
    s->worth = calloc(n + 1, sizeof *s->worth);
    if (!s->normal || !s->worth)
        return ix_fail(err, "out of memory");
    judge(s);
    return 0;
}

static bool is_shown(const struct roxi_sheet *s, size_t run)
{
    for (size_t i = 0; i < s->shown_count; i++)
        if (s->shown[i].run == run)
            return true;
    return false;
}

/* Only the ranking tells which histories are needed, so all are kept until then. */
static void forget_histories(struct roxi_sheet *s)
{
    for (size_t i = 0; i < s->profiles->count; i++)
        if (!is_shown(s, i) && !roxi_is_usual_run(i, s->profiles->count))
            roxi_history_free(&s->profiles->executions[i].history);
}

int roxi_sheet_make(struct roxi_sheet *s, const char *campaign, const struct roxi_sheet_options *o,
                    struct ix_error *err)
{
    struct roxi_load_options keeping = o->load;
    keeping.all_histories = true;
    int result = judge_all(s, roxi_load(campaign, &keeping, err), campaign, o, err);
    if (result == 0 && !(s->shown = calloc(s->profiles->count + 1, sizeof *s->shown)))
        result = ix_fail(err, "out of memory");
    if (result == 0) {
        choose_shown(s, o->most);
        forget_histories(s);
        result = find(s, campaign, err);
    }
    if (result != 0)
        roxi_sheet_free(s);
    return result;
}

void roxi_sheet_free(struct roxi_sheet *s)
{
    for (size_t i = 0; s->shown && i < s->shown_count; i++)
        roxi_findings_free(&s->shown[i].findings);
    free(s->shown);
    roxi_ranking_free(&s->ranking);
    roxi_profiles_free(s->profiles);
    free(s->verdicts);
    free(s->normal);
    free(s->order);
    free(s->worth);
    *s = (struct roxi_sheet){0};
}
