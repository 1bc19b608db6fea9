/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/waits/communication_read.h"

#include "roxi/base/progress.h"
#include "roxi/base/warn.h"

typedef int add(struct waits_communication *g, const struct waits_connections *run);

/* 1; 0: the run was recorded without connections. */
static int add_run(struct waits_communication *g, const struct roxi_listed_execution *execution,
                   bool quiet, add *to, struct ix_error *err)
{
    struct waits_connections run;
    int result = waits_connections_read(&run, execution, quiet, err) == 0 ? run.telling > 0 : -1;
    if (result == 1 && to(g, &run) != 0)
        result = ix_fail(err, "out of memory");
    waits_connections_free(&run);
    return result;
}

static int add_other(struct waits_communication *g, const struct waits_reading *r, size_t i,
                     struct ix_error *err)
{
    const struct roxi_listed_execution *other = &r->listing->executions[i];
    const int found = add_run(g, other, r->quiet, waits_communication_add, err);
    if (found == 0 && !r->quiet)
        roxi_warn("run %s is left out: it was recorded without connections", other->name);
    return found < 0 ? -1 : 0;
}

/* Whether there are runs enough that passed to compare with these alone. */
static bool enough_passed(const struct waits_reading *r)
{
    size_t passed = 0;
    for (size_t i = 0; i < r->listing->count; i++)
        passed += &r->listing->executions[i] != r->here &&
                  r->listing->executions[i].verdict == IX_VERDICT_PASSED;
    return passed >= WAITS_PASSED_LEAST;
}

static bool is_other(const struct waits_communication *g, const struct waits_reading *r, size_t i)
{
    const struct roxi_listed_execution *run = &r->listing->executions[i];
    return run != r->here && (!g->passed || run->verdict == IX_VERDICT_PASSED);
}

static int add_others(struct waits_communication *g, const struct waits_reading *r,
                      struct ix_error *err)
{
    struct roxi_progress progress;
    int result = 0;
    g->passed = r->here && enough_passed(r);
    if (!r->quiet)
        roxi_progress_start(&progress, "reading runs", (double)r->listing->count);
    for (size_t i = 0, read = 0; result == 0 && i < r->listing->count && read < r->most; i++) {
        if (is_other(g, r, i)) {
            result = add_other(g, r, i, err);
            read++;
        }
        if (!r->quiet)
            roxi_progress_add(&progress, 1);
    }
    if (!r->quiet)
        roxi_progress_end(&progress);
    return result;
}

int waits_communication_read(struct waits_communication *g, const struct waits_reading *r,
                             struct ix_error *err)
{
    if (add_others(g, r, err) != 0)
        return -1;
    const int known =
        r->here ? add_run(g, r->here, r->quiet, waits_communication_add_here, err) : g->runs > 0;
    if (known == 1 && waits_communication_finish(g) != 0)
        return ix_fail(err, "out of memory");
    return known;
}
