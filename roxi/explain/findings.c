/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "roxi/explain/finder.h"

/* In this order: a later one may say more of what earlier ones have found. */
static int (*const steps[])(struct roxi_finder *f) = {
    roxi_produce_departures, roxi_produce_turns,  roxi_produce_pairs,      roxi_produce_often,
    roxi_produce_pauses,     roxi_produce_growth, roxi_produce_exceptions, roxi_produce_gone,
    roxi_produce_firsts,     roxi_merge_gone,     roxi_produce_peers,      roxi_produce_waited_for,
    roxi_produce_deadlocks,  roxi_relate_flows,   roxi_relate_answers,     roxi_produce_covered,
    roxi_produce_missed,     roxi_produce_ceased, roxi_leave_out_failing,  roxi_produce_names,
    roxi_find_nodes,         roxi_put_in_order,   roxi_find_unanswered,    roxi_tell_starters,
    roxi_tell_callers,
};

static int find_all(struct roxi_finder *f, const struct roxi_listed_execution *logs,
                    struct ix_error *err)
{
    int result = roxi_finder_open(f, logs, err);
    for (size_t i = 0; i < sizeof steps / sizeof *steps && result == 0; i++)
        result = steps[i](f) == 0 ? 0 : ix_fail(err, "out of memory");
    roxi_finder_close(f);
    return result;
}

int roxi_findings_find(struct roxi_findings *out, const struct roxi_ranking *r, size_t run,
                       const bool *normal, const struct roxi_listed_execution *logs,
                       struct ix_error *err)
{
    const struct roxi_profiles *p = r->durations->profiles;
    *out = (struct roxi_findings){0};
    if (!roxi_profile_tells(&p->executions[run]))
        return 0;
    bool *others = calloc(r->n + 1, sizeof *others);
    if (!others)
        return ix_fail(err, "out of memory");
    memcpy(others, normal, r->n * sizeof *others);
    others[run] = false;
    struct roxi_finder f = {.out = out,
                            .ranking = r,
                            .profiles = p,
                            .run = &p->executions[run],
                            .number = run,
                            .normal = others};
    const int result = find_all(&f, logs, err);
    free(others);
    if (result != 0)
        roxi_findings_free(out);
    return result;
}

int roxi_findings_make(struct roxi_findings *out, const struct roxi_ranking *r, size_t run,
                       const bool *normal, const char *campaign, struct ix_error *err)
{
    struct roxi_listing logs = {0};
    const char *name = r->durations->profiles->executions[run].name;
    *out = (struct roxi_findings){0};
    if (campaign && roxi_listing_read(&logs, campaign, name, err) != 0)
        return -1;
    const int result =
        roxi_findings_find(out, r, run, normal, campaign ? &logs.executions[0] : NULL, err);
    roxi_listing_free(&logs);
    return result;
}

void roxi_findings_free(struct roxi_findings *f)
{
    free(f->list);
    waits_chains_free(&f->chains);
    *f = (struct roxi_findings){0};
}
