/* SPDX-License-Identifier: Apache-2.0 */
#include "server/session/executions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/sampling/instant.h"
#include "server/session/burst.h"
#include "server/session/mark.h"
#include "server/session/session.h"

static struct ixor_execution *known(struct ixor_context *c, const char *name)
{
    for (struct ixor_execution *e = c->executions; e; e = e->next) {
        if (strcmp(e->name, name) == 0)
            return e;
    }
    return NULL;
}

static struct ixor_execution *open_execution(struct ixor_context *c, const char *name,
                                             const char *command, int64_t begin_ns,
                                             struct ix_error *err)
{
    struct ix_catalogue *catalogue = ixor_writer_catalogue(c->writer);
    if (ix_catalogue_check_name(name, err) != 0)
        return NULL;
    struct ixor_execution *e = calloc(1, sizeof *e);
    if (!e) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    /* A catalogue that cannot be read now is no reason to fail; the writer checks again. */
    if (ix_catalogue_find_execution(catalogue, name, &e->id, NULL) <= 0)
        e->id = ixor_writer_add_execution(c->writer, name, command, begin_ns);
    if (!e->id) {
        ix_fail(err, "the server is out of memory");
        free(e);
        return NULL;
    }
    snprintf(e->name, sizeof e->name, "%s", name);
    e->open = e->sampling = true;
    e->next = c->executions;
    c->executions = e;
    return e;
}

/* Other programs can find and label it only when it is in the catalogue. */
static int record_execution(struct ixor_context *c, struct ixor_execution *e, struct ix_error *err)
{
    if (ixor_writer_flush(c->writer, err) == 0) {
        e->id = ixor_writer_execution_id(c->writer, e->id);
        return 0;
    }
    c->executions = e->next; /* which was the first */
    free(e);
    return -1;
}

struct ixor_execution *ixor_executions_open(struct ixor_context *c, const char *name,
                                            const char *command, int64_t begin_ns,
                                            struct ix_error *err)
{
    struct ixor_execution *e = known(c, name);
    if (!e)
        e = open_execution(c, name, command, begin_ns, err);
    if (!e || (e->id < 0 && record_execution(c, e, err) != 0))
        return NULL;
    c->current = e;
    return e;
}

void ixor_executions_close(struct ixor_context *c, struct ixor_execution *e, const char *why)
{
    e->open = e->sampling = false;
    ixor_burst_free(e->burst);
    e->burst = NULL;
    if (c->current == e)
        c->current = NULL;
    for (size_t i = c->roster.count; i-- > 0;) {
        struct ixor_session *session = c->roster.at[i];
        if (session->state == IXOR_SESSION_LIVE && session->jvm.execution == e)
            ixor_session_end(session, "server-stopped", why);
    }
    ixor_instant_end(c->instant, e->id);
}

/* A run of `ixor run` ends with its command; a JVM that still names it is a straggler. A run of
 * `ixor serve` can continue, whichever server had it before. */
static int may_reopen(struct ixor_context *c, const char *name, struct ix_error *err)
{
    struct ix_catalogue *catalogue = ixor_writer_catalogue(c->writer);
    int64_t id, run = 0;
    const int found = ix_catalogue_find_execution(catalogue, name, &id, err);
    if (found > 0 && ix_catalogue_has_command(catalogue, id, &run, err) == 0)
        return run ? ix_fail(err, "run '%s' has ended", name) : 0;
    /* A refused JVM does not try again, so a locked catalogue is no reason to refuse it. */
    return found == 0 || ix_catalogue_may_pass(catalogue) ? 0 : -1;
}

struct ixor_execution *ixor_executions_find(struct ixor_context *c, const char *name,
                                            struct ix_error *err)
{
    struct ixor_execution *e = name[0] ? known(c, name) : c->current;
    if (e && e->open)
        return e;
    if (e)
        ix_fail(err, "run '%s' has ended", name);
    else if (!name[0])
        ix_fail(err, "there is no run at the moment");
    else if (!c->options.on_demand)
        ix_fail(err, "run '%s' is not open", name);
    else if (may_reopen(c, name, err) == 0)
        return open_execution(c, name, NULL, ixor_wall_ns(), err);
    return NULL;
}

/* ---- tests ---- */

/* Whether a run has this name. A catalogue that cannot be read now is checked again by its
 * writer. */
static bool is_taken(struct ixor_context *c, const char *name)
{
    int64_t id;
    return known(c, name) ||
           ix_catalogue_find_execution(ixor_writer_catalogue(c->writer), name, &id, NULL) > 0;
}

/* Finds a name for the next run of this test, and its number. */
static unsigned choose_name(struct ixor_context *c, const char *test, char name[IX_NAME_MAX + 1])
{
    const struct ixor_execution *last = c->executions;
    while (last && strcmp(last->test, test) != 0)
        last = last->next;
    unsigned nth = last ? last->nth + 1 : 1;
    for (;; nth++) {
        snprintf(name, IX_NAME_MAX + 1, nth == 1 ? "%s" : "%s#%u", test, nth);
        if (!is_taken(c, name))
            return nth;
    }
}

/* Without memory there is no burst, which is no reason to refuse the test. */
static void plan_burst(struct ixor_context *c, struct ixor_execution *e, uint64_t burst_ns)
{
    const uint64_t option_ns = c->options.burst_after_ns;
    if (option_ns && (!burst_ns || option_ns < burst_ns))
        burst_ns = option_ns;
    if (burst_ns)
        e->burst = ixor_burst_new(c, e, burst_ns, "a burst of packets: the test still went on",
                                  NULL, NULL);
}

struct ixor_execution *ixor_executions_begin_test(struct ixor_context *c, const char *test,
                                                  uint64_t burst_ns, struct ix_error *err)
{
    char name[IX_NAME_MAX + 1], command[sizeof IX_TEST_COMMAND + IX_TEST_NAME_MAX];
    if (!c->options.tests) {
        ix_fail(err, "tests get runs of their own only with --tests");
        return NULL;
    }
    if (!test[0] || strlen(test) > IX_TEST_NAME_MAX) {
        ix_fail(err, "the test's name '%.40s' does not have 1 to %u bytes", test, IX_TEST_NAME_MAX);
        return NULL;
    }
    const unsigned nth = choose_name(c, test, name);
    snprintf(command, sizeof command, IX_TEST_COMMAND "%s", test);
    struct ixor_execution *e = open_execution(c, name, command, ixor_wall_ns(), err);
    if (e) {
        e->nth = nth;
        snprintf(e->test, sizeof e->test, "%s", test);
        plan_burst(c, e, burst_ns);
    }
    return e;
}

void ixor_executions_end_test(struct ixor_context *c, struct ixor_execution *e,
                              enum ix_verdict verdict, const char *more)
{
    if (more[0])
        ixor_mark(c, e, more);
    ixor_executions_close(c, e, "its test had ended");
    const struct ixor_execution_end end = {
        .execution = e->id,
        .end_ns = ixor_wall_ns(),
        .exit_status = -1,
        .verdict = verdict,
        .verdict_by = verdict == IX_VERDICT_UNKNOWN ? NULL : "exit",
    };
    ixor_writer_end_execution(c->writer, &end);
}

static void stop_test(struct ixor_context *c, struct ixor_execution *e)
{
    const bool vanished = e->vms && !e->sessions && !c->interrupted;
    if (e->open)
        ixor_executions_end_test(c, e, vanished ? IX_VERDICT_FAILED : IX_VERDICT_UNKNOWN,
                                 vanished ? "its JVM vanished" : IX_INTERRUPTED);
}

void ixor_executions_stop_tests(struct ixor_context *c)
{
    for (struct ixor_execution *e = c->executions; e; e = e->next) {
        if (e->nth)
            stop_test(c, e);
    }
}

void ixor_executions_free(struct ixor_context *c)
{
    while (c->executions) {
        struct ixor_execution *e = c->executions;
        c->executions = e->next;
        ixor_burst_free(e->burst);
        ixor_instant_end(c->instant, e->id);
        free(e);
    }
}
