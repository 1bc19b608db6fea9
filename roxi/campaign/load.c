/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/load.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/text_escape.h"
#include "roxi/base/warn.h"
#include "roxi/campaign/load_logs.h"
#include "roxi/campaign/log_end.h"
#include "roxi/campaign/tests.h"
#include "schema/base/grow.h"
#include "schema/catalogue/catalogue.h"
#include "schema/catalogue/lock.h"

#define EMPTY_TOLD 10 /* empty runs that are named: a test can end before its first packet */

/* ---- the catalogue ---- */

struct reading {
    struct ix_catalogue *catalogue;
    struct roxi_load_list *list;
    struct roxi_load_execution *vms_of; /* whose JVMs are read */
    char *test;                         /* whose runs are read; NULL: all; owned */
    const char *only;                   /* as roxi_load_options.disturbed */
    const char *asked;                  /* a run that is read in any case; NULL: none */
    bool written;                       /* ixor records into the campaign now */
    bool quiet;
    char *first, *next; /* owned: how the first run was disturbed, and one that was so otherwise */
    struct ix_error *err;
};

/* Notes runs that were disturbed in another way than the first one. */
static int note_disturbed(struct reading *r, const char *how)
{
    char **place = !r->first ? &r->first : !r->next && strcmp(r->first, how) != 0 ? &r->next : NULL;
    if (place && !(*place = strdup(how)))
        return ix_fail(r->err, "out of memory");
    return 0;
}

/* A run of 'ixor run' that goes on: half of one is unlike all others. */
static bool goes_on(const struct reading *r, const struct ix_execution *e)
{
    return r->written && e->command && !e->end_ns && e->verdict == IX_VERDICT_UNKNOWN &&
           (!r->asked || strcmp(r->asked, e->name) != 0);
}

/* Likewise one that ended only because 'ixor run' did: a user who labels it says that it counts. If
 * that was killed, the next one marks the run. */
static bool was_interrupted(const struct reading *r, const struct ix_execution *e)
{
    return e->verdict == IX_VERDICT_UNKNOWN &&
           (e->interrupted || (!r->written && e->command && !e->end_ns));
}

static bool has_failed_test(const struct ix_execution *e)
{
    return e->verdict == IX_VERDICT_FAILED && ix_execution_test(e);
}

static int add_execution(void *user, const struct ix_execution *e)
{
    struct reading *r = user;
    struct roxi_load_list *list = r->list;
    if (!roxi_test_has(r->test, e))
        return 0;
    if (list->count && goes_on(r, e)) {
        if (!r->quiet)
            roxi_warn("run %s is left out: it is still going on", e->name);
        return 0;
    }
    const char *how = e->disturbed ? e->disturbed : "none";
    if (note_disturbed(r, how) != 0)
        return -1;
    if (r->only && strcmp(r->only, how) != 0)
        return 0;
    /* No part of Ixor writes such a name; in a table it could break a line or a column. */
    if (!text_plain((struct ix_span){e->name, strlen(e->name)}))
        return ix_fail(r->err, "the name of run '%s' has control characters, or is not UTF-8",
                       e->name);
    struct roxi_load_execution *all =
        ix_grow(list->executions, &list->cap, list->count + 1, sizeof *all);
    if (!all)
        return ix_fail(r->err, "out of memory");
    list->executions = all;
    all[list->count] = (struct roxi_load_execution){.id = e->id,
                                                    .name = strdup(e->name),
                                                    .begin_ns = e->begin_ns,
                                                    .interrupted = was_interrupted(r, e),
                                                    .test_failed = has_failed_test(e)};
    if (!all[list->count].name)
        return ix_fail(r->err, "out of memory");
    list->count++;
    return 0;
}

/* Leaves out those that were interrupted, unless all were. */
static void drop_interrupted(const struct reading *r, size_t before)
{
    struct roxi_load_list *list = r->list;
    size_t kept = before, whole = 0;
    for (size_t i = before; i < list->count; i++)
        whole += !list->executions[i].interrupted;
    for (size_t i = before; whole && i < list->count; i++) {
        struct roxi_load_execution *x = &list->executions[i];
        if (!x->interrupted || (r->asked && strcmp(r->asked, x->name) == 0)) {
            list->executions[kept++] = *x;
            continue;
        }
        if (!r->quiet)
            roxi_warn("run %s was interrupted and is left out", x->name);
        free(x->name);
    }
    list->count = whole ? kept : list->count;
}

/* Of the catalogue's other ends, nobody knows how the JVM ended: server-stopped, running, imported.
 */
static void take_end(struct roxi_load_log *log, const char *ended)
{
    const bool vanished = strcmp(ended, "vanished") == 0;
    log->is_over =
        vanished || strcmp(ended, "orderly") == 0 || strcmp(ended, "server-stopped") == 0;
    log->bad_end = vanished || strcmp(ended, "silent") == 0 || strcmp(ended, "log-failed") == 0;
}

/* "left 2 threads: a, b" (java/src/ixor/junit/Threads.java). */
static bool is_of_threads(const char *text)
{
    static const char left[] = "left ";
    return strncmp(text, left, strlen(left)) == 0 && isdigit((unsigned char)text[strlen(left)]);
}

/* The JVM of a test says at its end with what that failed, and then what threads it has left. */
static int take_failure(struct reading *r, const struct ix_vm *vm)
{
    static const char between[] = "; ";
    struct roxi_load_execution *x = r->vms_of;
    const char *text = vm->ended_text, *end = NULL;
    if (!x->test_failed || x->failure || !text || strcmp(vm->ended, "orderly") != 0 ||
        is_of_threads(text))
        return 0;
    for (const char *at = text; (at = strstr(at, between)); at++)
        if (is_of_threads(at + strlen(between)))
            end = at;
    x->failure = end ? strndup(text, (size_t)(end - text)) : strdup(text);
    return x->failure ? 0 : ix_fail(r->err, "out of memory");
}

static int add_vm(void *user, const struct ix_vm *vm)
{
    struct reading *r = user;
    struct roxi_load_list *list = r->list;
    if (take_failure(r, vm) != 0)
        return -1;
    struct roxi_load_log *all =
        ix_grow(list->logs, &list->log_cap, list->log_count + 1, sizeof *all);
    if (!all)
        return ix_fail(r->err, "out of memory");
    list->logs = all;
    struct roxi_load_log *added = &all[list->log_count++];
    *added = (struct roxi_load_log){.role = strdup(vm->role), .path = strdup(vm->log)};
    take_end(added, vm->ended);
    if (!added->role || !added->path)
        return ix_fail(r->err, "out of memory");
    return roxi_log_reported(r->catalogue, vm, &added->reported, r->err);
}

static void warn_disturbed(const struct reading *r, const char *campaign)
{
    if (r->next)
        roxi_warn(
            "the runs of '%s' were disturbed in different ways, which their call stacks show; "
            "'roxi rank --disturbed %s' or '--disturbed %s' compares like with like",
            campaign, r->first, r->next);
}

static int no_runs(const struct reading *r, const char *campaign)
{
    if (r->only && r->first)
        return ix_fail(r->err,
                       "no run of the campaign '%s' was disturbed like '%s'; there are '%s'%s%s%s",
                       campaign, r->only, r->first, r->next ? " and '" : "", r->next ? r->next : "",
                       r->next ? "'" : "");
    return ix_fail(r->err, "the campaign '%s' has no runs yet", campaign);
}

/* Appends the campaign's runs and logs to the list. */
static int read_catalogue(const char *campaign, const struct roxi_load_options *options,
                          struct roxi_load_list *list, struct ix_error *err)
{
    struct reading r = {.list = list, .only = options->disturbed, .err = err};
    const size_t before = list->count;
    struct ix_catalogue *catalogue = ix_catalogue_open(campaign, IX_CATALOGUE_READ, err);
    if (!catalogue)
        return -1;
    const char *run = options->histories ? options->histories[0] : NULL;
    r.catalogue = catalogue;
    r.asked = run;
    r.written = ix_lock_is_held(campaign);
    r.quiet = options->quiet;
    int result = roxi_test_choose(catalogue, options->test, run, &r.test, err);
    if (result == 0)
        result = ix_catalogue_executions(catalogue, add_execution, &r, err);
    if (result == 0 && list->count == before)
        result = no_runs(&r, campaign);
    if (result == 0)
        drop_interrupted(&r, before);
    if (result == 0 && !options->quiet && !options->disturbed)
        warn_disturbed(&r, campaign);
    for (size_t i = before; result == 0 && i < list->count; i++) {
        struct roxi_load_execution *x = &list->executions[i];
        x->first = list->log_count;
        r.vms_of = x;
        result = ix_catalogue_vms(catalogue, x->id, add_vm, &r, err);
        x->count = list->log_count - x->first;
    }
    free(r.test);
    ix_catalogue_close(catalogue);
    free(r.first);
    free(r.next);
    return result;
}

/* ---- warnings ---- */

static void warn_unreadable(const struct roxi_load_execution *x, const struct roxi_load_log *log)
{
    if (log->unreadable)
        roxi_warn("run %s: %s is left out: %s", x->name, log->role, log->unreadable);
}

static void warn_torn(const struct roxi_load_execution *x, const struct roxi_load_log *log)
{
    if (log->torn)
        roxi_warn("run %s: %s", x->name, log->torn);
}

/* Warns of the run's logs up to `end`. If packets are chosen in a first pass, that pass finds
 * all logs that cannot be opened before any log is found to be torn or broken. */
static void warn_of_logs(const struct roxi_load_list *list, const struct roxi_load_execution *x,
                         size_t end, bool chosen)
{
    for (size_t i = x->first; i < end; i++) {
        warn_unreadable(x, &list->logs[i]);
        if (!chosen)
            warn_torn(x, &list->logs[i]);
    }
    for (size_t i = x->first; chosen && end == x->first + x->count && i < end; i++)
        warn_torn(x, &list->logs[i]);
}

static void warn_of_all_logs(const struct roxi_load_list *list, size_t reached, bool chosen)
{
    for (size_t i = 0; i < list->count && list->executions[i].first <= reached; i++) {
        const struct roxi_load_execution *x = &list->executions[i];
        const size_t end = x->first + x->count;
        warn_of_logs(list, x, end < reached ? end : reached, chosen);
    }
}

/* Reports which runs came out empty, and why; it is an error if all did. */
static int report_empty(const struct roxi_load_list *list, const struct roxi_profiles *p,
                        struct ix_error *err)
{
    size_t empty = 0, too_few = 0;
    for (size_t i = 0; i < list->count; i++) {
        empty += !roxi_profile_tells(&p->executions[i]);
        too_few += list->executions[i].packets > 0;
    }
    if (empty == list->count && too_few)
        return ix_fail(
            err, "no packet was answered by as many JVMs as --min-vms asks for; leave it out");
    if (empty == list->count)
        return ix_fail(err, "no run has any call stacks");
    for (size_t i = 0, told = 0; i < list->count; i++) {
        const struct roxi_load_execution *x = &list->executions[i];
        if (roxi_profile_tells(&p->executions[i]))
            continue;
        if (++told > EMPTY_TOLD) {
            roxi_warn("%zu more runs are empty", empty - EMPTY_TOLD);
            break;
        }
        if (x->packets)
            roxi_warn("run %s is empty: none of its %" PRIu64 " packets was answered by "
                      "as many JVMs as --min-vms asks for",
                      x->name, x->packets);
        else
            roxi_warn("run %s is empty: it has no packets", x->name);
    }
    return 0;
}

/* ---- the whole ---- */

static struct roxi_profiles *load_list(struct roxi_load_list *list,
                                       const struct roxi_load_options *options,
                                       const struct roxi_rules *rules, struct ix_error *err)
{
    size_t reached;
    struct roxi_profiles *p = roxi_load_logs(list, options, rules, &reached, err);
    if (!options->quiet)
        warn_of_all_logs(list, reached, options->min_vms != 1 || roxi_rules_learn(rules));
    if (p && !options->quiet && report_empty(list, p, err) != 0) {
        roxi_profiles_free(p);
        return NULL;
    }
    return p;
}

struct roxi_profiles *roxi_load_both(const char *campaign, const char *baseline,
                                     const struct roxi_load_options *options, size_t *of_first,
                                     struct ix_error *err)
{
    struct roxi_load_list list = {0};
    struct roxi_profiles *p = NULL;
    struct roxi_rules *rules = NULL;
    int result = read_catalogue(campaign, options, &list, err);
    *of_first = list.count;
    if (result == 0 && baseline)
        result = read_catalogue(baseline, options, &list, err);
    if (result == 0 && (rules = roxi_rules_named(options->rules, err)))
        p = load_list(&list, options, rules, err);
    roxi_load_list_free(&list);
    roxi_rules_free(rules);
    return p;
}

struct roxi_profiles *roxi_load(const char *campaign, const struct roxi_load_options *options,
                                struct ix_error *err)
{
    size_t all;
    return roxi_load_both(campaign, NULL, options, &all, err);
}

struct roxi_templates *roxi_load_templates(const char *campaign,
                                           const struct roxi_load_options *options,
                                           const struct roxi_rules *rules, struct ix_error *err)
{
    struct roxi_load_list list = {0};
    struct roxi_templates *templates = NULL;
    if (read_catalogue(campaign, options, &list, err) == 0)
        templates = roxi_load_names(&list, options, rules, err);
    roxi_load_list_free(&list);
    return templates;
}

/* ---- again ---- */

static bool are_same_runs(const struct roxi_profiles *a, const struct roxi_profiles *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = strcmp(a->executions[i].name, b->executions[i].name) == 0;
    return same;
}

struct roxi_profiles *roxi_load_again(const char *campaign, const struct roxi_load_options *options,
                                      const struct roxi_profiles *before, const size_t *runs,
                                      size_t count, struct ix_error *err)
{
    const char **names = calloc(count + 1, sizeof *names);
    if (!names) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        names[i] = before->executions[runs[i]].name;
    struct roxi_load_options keeping = *options;
    keeping.histories = names;
    keeping.usual_histories = true;
    keeping.quiet = true;
    keeping.explain = false;
    struct roxi_profiles *p = roxi_load(campaign, &keeping, err);
    free(names);
    if (!p || are_same_runs(p, before))
        return p;
    roxi_profiles_free(p);
    ix_fail(err, "the campaign has changed in the meantime; try again");
    return NULL;
}
