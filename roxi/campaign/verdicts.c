/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/verdicts.h"

#include <stdlib.h>
#include <string.h>

struct search {
    const struct roxi_profiles *profiles;
    struct roxi_verdict *verdicts;
    size_t next; /* next run to match; both are in the catalogue's order */
};

static int match(void *user, const struct ix_execution *e)
{
    struct search *s = user;
    size_t n = s->profiles->count;
    for (size_t step = 0; step < n; step++) {
        size_t i = (s->next + step) % n;
        if (strcmp(s->profiles->executions[i].name, e->name) == 0) {
            bool by_user = e->verdict_by && strcmp(e->verdict_by, "user") == 0;
            s->verdicts[i] = (struct roxi_verdict){e->verdict, by_user};
            s->next = i + 1;
            break;
        }
    }
    return 0;
}

struct roxi_verdict *roxi_verdicts_load(const char *campaign, const struct roxi_profiles *p,
                                        struct ix_error *err)
{
    struct search s = {.profiles = p};
    struct ix_catalogue *c = ix_catalogue_open(campaign, IX_CATALOGUE_READ, err);
    if (!c)
        return NULL;
    s.verdicts = calloc(p->count + 1, sizeof *s.verdicts);
    if (!s.verdicts) {
        ix_fail(err, "out of memory");
    } else if (ix_catalogue_executions(c, match, &s, err) != 0) {
        free(s.verdicts);
        s.verdicts = NULL;
    }
    ix_catalogue_close(c);
    return s.verdicts;
}

struct roxi_verdict_counts roxi_verdicts_count(const struct roxi_profiles *p,
                                               const struct roxi_verdict *v)
{
    struct roxi_verdict_counts c = {.all = p->count};
    for (size_t i = 0; i < p->count; i++) {
        c.passed += roxi_run_passed(p, v, i);
        c.failed += v[i].verdict == IX_VERDICT_FAILED;
    }
    return c;
}

bool roxi_verdict_settled(struct roxi_verdict v, bool trust_passed)
{
    return v.verdict == IX_VERDICT_FAILED ||
           (v.verdict == IX_VERDICT_PASSED && (v.by_user || trust_passed));
}

bool *roxi_verdicts_failed(const struct roxi_verdict *v, size_t n, size_t *count,
                           struct ix_error *err)
{
    bool *failed = calloc(n + 1, sizeof *failed);
    if (!failed)
        ix_fail(err, "out of memory");
    *count = 0;
    for (size_t i = 0; failed && i < n; i++) {
        failed[i] = v[i].verdict == IX_VERDICT_FAILED;
        *count += failed[i];
    }
    return failed;
}

size_t roxi_verdicts_drop_unknown(struct roxi_profiles *p, struct roxi_verdict *v)
{
    size_t kept = 0, all = p->count;
    for (size_t i = 0; i < all; i++) {
        if (v[i].verdict == IX_VERDICT_UNKNOWN) {
            roxi_profile_release(&p->executions[i]);
            continue;
        }
        v[kept] = v[i];
        p->executions[kept++] = p->executions[i];
    }
    p->count = kept;
    return all - kept;
}
