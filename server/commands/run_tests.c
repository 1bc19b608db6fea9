/* SPDX-License-Identifier: Apache-2.0 */
#include "server/commands/run_tests.h"

#include <stdio.h>
#include <stdlib.h>

#include "server/base/command.h"
#include "server/commands/course.h"
#include "server/commands/offspring.h"

/* Adds the runs that were opened since `before` was the latest to d->ids. */
static int collect(struct ixor_driver *d, const struct ixor_execution *before, struct ix_error *err)
{
    const struct ixor_execution *latest = ixor_service_context(d->service)->executions;
    size_t count = 0;
    for (const struct ixor_execution *e = latest; e != before; e = e->next)
        count++;
    int64_t *ids = reallocarray(d->ids, d->id_count + count + 1, sizeof *ids);
    if (!ids)
        return ix_fail(err, "out of memory");
    d->ids = ids;
    d->id_count += count;
    size_t at = d->id_count;
    for (const struct ixor_execution *e = latest; e != before; e = e->next) {
        ids[--at] = ixor_writer_execution_id(d->writer, e->id);
        d->any_vm = true;
    }
    return 0;
}

/* Ends the runs of tests that are still open, with their JVMs, and records all. */
static int record_end(struct ixor_driver *d, const struct ixor_execution *before,
                      struct ix_error *err)
{
    ixor_executions_stop_tests(ixor_service_context(d->service));
    if (!ixor_driver_is_there(d)) {
        err->text[0] = '\0'; /* has been reported */
        return -1;
    }
    return ixor_writer_flush(d->writer, err) == 0 ? collect(d, before, err) : -1;
}

/* The exit status that a shell would say. */
static int status_of(const struct ixor_course *c)
{
    const int signal = ixor_child_exit_signal(c->child), status = ixor_child_exit_status(c->child);
    return signal ? IXOR_SIGNAL + signal : status || !c->timed_out ? status : IXOR_FAILED;
}

static void tell(const struct ixor_driver *d, const struct ixor_course *c, size_t tests, int status)
{
    char took[IXOR_UNIT_TEXT], number[IXOR_RUN_NUMBER];
    ixor_duration_text((int64_t)(ixor_mono_ns() - c->began_ns), took);
    ixor_progress_number(&d->progress, number);
    ixor_notice("build %s: %s after %s with exit status %d; runs of tests: %zu%s", number,
                c->timed_out ? "timed out"
                : d->signal  ? "interrupted"
                             : "ended",
                took, status, tests,
                tests || d->progress.run == 1 ? "" : " (Gradle: gradle cleanTest test)");
}

static int one_build(struct ixor_driver *d, int *status, struct ix_error *err)
{
    const struct ixor_execution *before = ixor_service_context(d->service)->executions;
    const size_t tests = d->id_count;
    struct ixor_course c = {.driver = d};
    snprintf(c.name, sizeof c.name, "build %u", d->progress.run);
    ixor_course_begin(&c);
    c.dir = ixor_campaign_make_run_dir(&d->campaign, IXOR_TESTS_DIR, err);
    int bad = c.dir ? ixor_course_start(&c, err) : -1;
    if (!bad) {
        ixor_course_wait(&c);
        bad = record_end(d, before, err);
        const int ended = status_of(&c);
        if (ended)
            *status = ended;
        if (!bad)
            tell(d, &c, d->id_count - tests, ended);
    }
    ixor_course_free(&c);
    return bad;
}

static int all_builds(struct ixor_driver *d, int *status, struct ix_error *err)
{
    for (size_t i = 0; i < d->options->runs && !d->signal; i++) {
        d->progress.run = (unsigned)i + 1;
        if (one_build(d, status, err) != 0)
            return -1;
        event_base_loop(d->base, EVLOOP_NONBLOCK); /* a signal that arrived meanwhile */
    }
    return 0;
}

/* The nodes of a distributed test, most likely. */
static void tell_offspring(const struct ixor_offspring *o)
{
    const size_t count = ixor_offspring_count(o);
    if (count)
        ixor_notice("%zu JVM%s that tests started %s not recorded; to record %s, use 'ixor run -- "
                    "COMMAND' without --tests, with one test at a time",
                    count, count == 1 ? "" : "s", count == 1 ? "was" : "were",
                    count == 1 ? "it" : "them");
}

int ixor_run_tests(struct ixor_driver *d, int *status, struct ix_error *err)
{
    *status = 0;
    struct ixor_offspring *o = ixor_offspring_new(d->base, ixor_service_context(d->service), err);
    if (!o)
        return -1;
    const int bad = all_builds(d, status, err);
    tell_offspring(o);
    ixor_offspring_free(o);
    if (bad)
        return -1;
    if (d->id_count || d->signal)
        return 0;
    return ix_fail(
        err, "no test was recorded: no JVM that COMMAND started had JUnit 5 on its class "
             "path and ran a test (Gradle: gradle --no-daemon cleanTest test); see docs/junit.md");
}
