/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/lead.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schema/base/grow.h"

/* Who does most of a set, in the run at hand. */
struct front {
    uint32_t first, second; /* packets */
    uint32_t who;
};

struct finding {
    const struct roxi_together *together;
    const struct roxi_durations *d;
    const bool *reference;
    struct front *fronts; /* by set; zero between two runs; owned, as is the rest */
    uint32_t *touched;    /* sets that are not */
    size_t touched_count;
    double *ahead;     /* by set: how far the first is ahead of the second, over all runs */
    uint32_t *leading; /* by group: the set that tells who leads */
    uint32_t *group;   /* by member: of the first of peers, its group's number + 1, or 0 */
    size_t groups;
    uint32_t *leaders; /* run after run, by group: a member, or ROXI_NONE */
};

static bool counts(const struct finding *f, size_t run)
{
    return !f->reference || f->reference[run];
}

static bool is_call(const struct roxi_durations *d, uint32_t item)
{
    return roxi_durations_locus(d, d->locus_of[item]).kind == ROXI_IN_CALL &&
           !roxi_durations_is_stay(d, item);
}

static void take_run(struct finding *f, size_t run)
{
    size_t count;
    const struct roxi_duration *list = roxi_durations_run(f->d, run, &count);
    for (size_t i = 0; i < count; i++) {
        const uint32_t set = f->together->of[list[i].item];
        if (set == ROXI_NONE || !list[i].packets || !is_call(f->d, list[i].item))
            continue;
        struct front *x = &f->fronts[set];
        if (!x->first)
            f->touched[f->touched_count++] = set;
        if (list[i].packets > x->first) {
            x->second = x->first;
            x->first = list[i].packets;
            x->who = roxi_durations_of(f->d, list[i].item);
        } else if (list[i].packets > x->second) {
            x->second = list[i].packets;
        }
    }
}

static void forget_run(struct finding *f)
{
    while (f->touched_count)
        f->fronts[f->touched[--f->touched_count]] = (struct front){0};
}

/* What tells best, in each group, who leads. */
static void choose_leading(struct finding *f)
{
    const struct roxi_together *t = f->together;
    for (size_t run = 0; run < f->d->profiles->count; run++) {
        if (!counts(f, run))
            continue;
        take_run(f, run);
        for (size_t i = 0; i < f->touched_count; i++) {
            const struct front *x = &f->fronts[f->touched[i]];
            f->ahead[f->touched[i]] += sqrt(x->first) - sqrt(x->second);
        }
        forget_run(f);
    }
    for (uint32_t set = 0; set < t->count; set++) {
        uint32_t *group = &f->group[t->peer_of[roxi_durations_of(f->d, t->items[t->first[set]])]];
        if (!(f->ahead[set] > 0))
            continue;
        if (!*group)
            *group = (uint32_t)++f->groups;
        else if (f->ahead[set] <= f->ahead[f->leading[*group - 1]])
            continue;
        f->leading[*group - 1] = set;
    }
}

static void find_leaders(struct finding *f)
{
    for (size_t run = 0; run < f->d->profiles->count; run++) {
        take_run(f, run);
        for (size_t g = 0; g < f->groups; g++) {
            const struct front *x = &f->fronts[f->leading[g]];
            f->leaders[run * f->groups + g] = x->first ? x->who : ROXI_NONE;
        }
        forget_run(f);
    }
}

/* The member that leads a group in most of the runs that count, the first one of several;
 * ROXI_NONE: none ever does. `times`: by member, all 0. */
static uint32_t usual_leader(const struct finding *f, size_t group, size_t *times)
{
    uint32_t usual = ROXI_NONE;
    for (size_t run = 0; run < f->d->profiles->count; run++) {
        const uint32_t leader = f->leaders[run * f->groups + group];
        if (leader != ROXI_NONE && counts(f, run))
            times[leader]++;
    }
    for (uint32_t member = 0; member < f->d->members.n; member++) {
        if (times[member] && (usual == ROXI_NONE || times[member] > times[usual]))
            usual = member;
    }
    memset(times, 0, f->d->members.n * sizeof *times);
    return usual;
}

static int list_others(const struct finding *f, struct roxi_leads *leads)
{
    size_t *times = calloc(f->d->members.n + 1, sizeof *times);
    uint32_t *usual = calloc(f->groups + 1, sizeof *usual);
    int result = times && usual ? 0 : -1;
    for (size_t g = 0; g < f->groups && result == 0; g++)
        usual[g] = usual_leader(f, g, times);
    for (size_t run = 0; run < f->d->profiles->count && result == 0; run++) {
        for (size_t g = 0; g < f->groups && result == 0; g++) {
            const struct roxi_lead x = {run, f->leaders[run * f->groups + g], usual[g]};
            if (x.leader != x.usual && x.leader != ROXI_NONE && x.usual != ROXI_NONE)
                result = ix_append(leads->list, leads->count, leads->cap, x);
        }
    }
    free(times);
    free(usual);
    return result;
}

static void free_finding(struct finding *f)
{
    free(f->fronts);
    free(f->touched);
    free(f->ahead);
    free(f->leading);
    free(f->group);
    free(f->leaders);
}

int roxi_leads_find(struct roxi_leads *leads, const struct roxi_together *together,
                    const bool *reference)
{
    const struct roxi_durations *d = together->durations;
    struct finding f = {.together = together,
                        .d = d,
                        .reference = reference,
                        .fronts = calloc(together->count + 1, sizeof *f.fronts),
                        .touched = calloc(together->count + 1, sizeof *f.touched),
                        .ahead = calloc(together->count + 1, sizeof *f.ahead),
                        .leading = calloc(d->members.n + 1, sizeof *f.leading),
                        .group = calloc(d->members.n + 1, sizeof *f.group)};
    int result = -1;
    *leads = (struct roxi_leads){0};
    if (f.fronts && f.touched && f.ahead && f.leading && f.group) {
        choose_leading(&f);
        f.leaders = calloc(d->profiles->count * f.groups + 1, sizeof *f.leaders);
    }
    if (f.leaders) {
        find_leaders(&f);
        result = list_others(&f, leads);
    }
    free_finding(&f);
    if (result != 0)
        roxi_leads_free(leads);
    return result;
}

void roxi_leads_free(struct roxi_leads *leads)
{
    free(leads->list);
    *leads = (struct roxi_leads){0};
}

struct roxi_duration *roxi_leads_exchanged(const struct roxi_leads *leads,
                                           const struct roxi_durations *d)
{
    const size_t total = d->first[d->profiles->count];
    struct roxi_duration *all = calloc(total + 1, sizeof *all);
    if (all && total)
        memcpy(all, d->all, total * sizeof *all);
    for (size_t i = 0; all && i < leads->count; i++) {
        const struct roxi_lead *x = &leads->list[i];
        struct roxi_duration *run = all + d->first[x->run];
        const size_t count = d->first[x->run + 1] - d->first[x->run];
        struct roxi_duration *swapped = roxi_role_swapped(d, run, count, x->leader, x->usual);
        if (!swapped) {
            free(all);
            return NULL;
        }
        memcpy(run, swapped, count * sizeof *run);
        free(swapped);
    }
    return all;
}
