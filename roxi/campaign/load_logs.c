/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/load_logs.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/progress.h"
#include "roxi/base/warn.h"
#include "roxi/base/workers.h"
#include "roxi/campaign/builds.h"
#include "roxi/campaign/log_counts.h"
#include "roxi/campaign/log_end.h"
#include "roxi/campaign/log_names.h"

struct worker {
    struct roxi_profiles *profiles; /* its dictionary; no executions */
    struct roxi_names *names;
    struct roxi_translation translation;
};

struct loading {
    struct roxi_load_list *list;
    const struct roxi_load_options *options;
    const struct roxi_rules *rules;
    struct worker *workers;
    size_t worker_count;
    struct roxi_profiles *result;     /* the worker's own if there is only one */
    size_t *execution_of;             /* by log */
    struct roxi_templates *templates; /* NULL: names are not learnt from */
    size_t *unread;                   /* by run: logs whose names are not there yet */

    pthread_mutex_t lock; /* protects the following */
    struct roxi_progress progress;
    atomic_size_t failed; /* the first job that failed; SIZE_MAX: none; read without the lock */
    struct ix_error why;
};

/* ---- failure and progress ---- */

static bool is_needed(struct loading *l, size_t job)
{
    return job < atomic_load(&l->failed);
}

static void end_job(struct loading *l, size_t job, int result, const struct ix_error *err)
{
    pthread_mutex_lock(&l->lock);
    if (result != 0 && job < atomic_load(&l->failed)) {
        atomic_store(&l->failed, job);
        l->why = *err;
    }
    roxi_progress_add(&l->progress, 1);
    pthread_mutex_unlock(&l->lock);
}

/* NULL: the log cannot be opened, which is recorded, or *result is -1. */
static struct ix_log_reader *open_log(struct roxi_load_log *log, int *result, struct ix_error *err)
{
    struct ix_error why;
    errno = 0;
    struct ix_log_reader *reader = log->unreadable ? NULL : ix_log_open(log->path, &why);
    *result = 0;
    if (!reader && !log->unreadable && roxi_ran_short(errno))
        *result = ix_fail(err, "%s", why.text);
    else if (!reader && !log->unreadable && !(log->unreadable = strdup(why.text)))
        *result = ix_fail(err, "out of memory");
    return reader;
}

/* ---- 1. which packets count, and what threads are called ---- */

static bool skims(const struct loading *l)
{
    return l->options->min_vms != 1 || l->templates;
}

static int list_packets(struct roxi_load_log *log, struct ix_error *err)
{
    int more;
    uint64_t packet;
    struct ix_log_reader *reader = open_log(log, &more, err);
    if (!reader)
        return more;
    while ((more = ix_log_next_packet(reader, &packet, err)) > 0) {
        if (roxi_packets_add(&log->answered, packet) != 0) {
            more = ix_fail(err, "out of memory");
            break;
        }
    }
    ix_log_reader_close(reader);
    return more;
}

static int list_names(struct loading *l, struct roxi_load_log *log, struct ix_error *err)
{
    int more;
    struct ix_log_reader *reader = open_log(log, &more, err);
    if (!reader)
        return more;
    more = roxi_log_names(reader, l->rules, &log->names, &log->answered, err);
    ix_log_reader_close(reader);
    if (more != ROXI_NAMES_BROKEN)
        return more;
    /* Counting will say what is wrong with this log, unless an earlier one is wrong, too. */
    ix_intern_free(&log->names);
    roxi_packets_free(&log->answered);
    return list_packets(log, err);
}

/* Learns from a run as soon as all its logs have been read: the order of runs does not matter. */
static int learn_names(struct loading *l, size_t execution)
{
    const struct roxi_load_execution *x = &l->list->executions[execution];
    int result = 0;
    pthread_mutex_lock(&l->lock);
    const bool complete = --l->unread[execution] == 0;
    for (size_t i = 0; complete && i < x->count; i++) {
        struct ix_intern *names = &l->list->logs[x->first + i].names;
        if (result == 0)
            result = roxi_names_learn(l->templates, names);
        ix_intern_free(names);
    }
    if (complete && result == 0)
        result = roxi_templates_end_run(l->templates, (uint32_t)execution);
    pthread_mutex_unlock(&l->lock);
    return result;
}

static void packets_job(void *user, size_t worker, size_t job)
{
    struct loading *l = user;
    struct roxi_load_log *log = &l->list->logs[job];
    struct ix_error err;
    (void)worker;
    if (!is_needed(l, job))
        return;
    int result = l->templates ? list_names(l, log, &err) : list_packets(log, &err);
    if (result == 0 && l->templates && learn_names(l, l->execution_of[job]) != 0)
        result = ix_fail(&err, "out of memory");
    end_job(l, job, result, &err);
}

static int learn_templates(struct loading *l)
{
    if (l->templates && roxi_templates_full(l->templates))
        roxi_warn("threads have more than %d kinds of names: all numbers in them count as '*'",
                  ROXI_TEMPLATES_SHAPES);
    return l->templates ? roxi_templates_learn(l->templates) : 0;
}

static int skim(struct loading *l, struct ix_error *err)
{
    struct roxi_load_list *list = l->list;
    roxi_workers_run(l->worker_count, list->log_count, packets_job, l);
    const bool done = learn_templates(l) == 0 && roxi_load_list_choose(list, l->options) == 0;
    return done ? 0 : ix_fail(err, "out of memory");
}

/* ---- 2. counting ---- */

/* Moves the counts into the log's record. */
static int keep_counts(struct roxi_load_log *log, struct roxi_log_counts *counts,
                       const struct ix_log_reader *reader)
{
    log->items = roxi_profile_items(&counts->seen, counts->visits);
    log->item_count = counts->seen.n;
    log->use = counts->use;
    counts->use = (struct roxi_use){0};
    log->traffic = counts->traffic;
    counts->traffic = (struct roxi_traffic){0};
    log->packets = counts->answered;
    log->lost = counts->lost;
    log->lost_from = counts->lost_from;
    log->first_packet = counts->first;
    log->last_packet = counts->last;
    return log->items ? roxi_log_end(reader, log->path, counts->last, log->reported, &log->torn)
                      : -1;
}

static int count_open_log(struct loading *l, struct worker *w, size_t job,
                          struct ix_log_reader *reader, struct ix_error *err)
{
    struct roxi_load_log *log = &l->list->logs[job];
    const struct roxi_load_execution *x = &l->list->executions[l->execution_of[job]];
    struct roxi_profiles *p = w->profiles;
    struct roxi_log_symbols symbols;
    struct roxi_log_counts counts = {.chosen = l->options->min_vms == 1 ? NULL : &x->chosen,
                                     .history = x->keeps_history ? &log->history : NULL};
    roxi_log_symbols_init(&symbols, reader, p->symbols, w->names, l->options->granularity);
    counts.role = roxi_symbols_string(p->symbols, log->role, strlen(log->role));
    int result = counts.role == ROXI_NONE ? ix_fail(err, "out of memory")
                                          : roxi_log_count(&counts, reader, &symbols, p, err);
    if (result != 0 && roxi_names_failure(w->names))
        ix_fail(err, "%s", roxi_names_failure(w->names));
    if (result == 0 && (keep_counts(log, &counts, reader) != 0 ||
                        (x->keeps_history && roxi_log_symbols_sources(&symbols, &p->sources) != 0)))
        result = ix_fail(err, "out of memory");
    log->only_builds = result == 0 && roxi_only_builds(log, p);
    roxi_log_symbols_release(&symbols);
    roxi_log_counts_release(&counts);
    return result;
}

static void count_job(void *user, size_t worker, size_t job)
{
    struct loading *l = user;
    struct worker *w = &l->workers[worker];
    struct roxi_load_log *log = &l->list->logs[job];
    struct ix_error err;
    int result;
    if (!is_needed(l, job))
        return;
    struct ix_log_reader *reader = open_log(log, &result, &err);
    if (reader)
        result = count_open_log(l, w, job, reader, &err);
    ix_log_reader_close(reader);
    log->worker = worker;
    log->extent = roxi_extent(w->profiles);
    end_job(l, job, result, &err);
}

/* ---- 3. one dictionary, and profiles ---- */

static int make_dictionary(struct loading *l)
{
    int result = 0;
    if (l->worker_count == 1) {
        l->result = l->workers[0].profiles;
        l->workers[0].profiles = NULL;
        return 0;
    }
    l->result = roxi_profiles_new();
    if (!l->result)
        return -1;
    for (size_t i = 0; i < l->worker_count; i++) {
        l->workers[i].translation.from = l->workers[i].profiles;
        l->workers[i].translation.to = l->result;
    }
    for (size_t i = 0; i < l->list->log_count && result == 0; i++) {
        const struct roxi_load_log *log = &l->list->logs[i];
        result = roxi_translate(&l->workers[log->worker].translation, log->extent);
    }
    return result;
}

/* Takes over which threads are of nodes. */
static int gather_nodes(struct loading *l)
{
    int result = 0;
    for (size_t i = 0; i < l->worker_count && result == 0; i++) {
        const struct worker *w = &l->workers[i];
        size_t count;
        const struct roxi_node *nodes = roxi_names_nodes(w->names, &count);
        struct roxi_node *own = calloc(count + 1, sizeof *own);
        if (!own)
            return -1;
        for (size_t k = 0; k < count; k++) {
            const uint32_t *strings = w->translation.strings;
            own[k] = nodes[k];
            if (l->worker_count > 1)
                own[k] = (struct roxi_node){strings[nodes[k].thread], strings[nodes[k].node],
                                            strings[nodes[k].template]};
        }
        result = roxi_profiles_nodes(l->result, own, count);
        free(own);
    }
    return result;
}

/* Takes over which files classes are compiled from. */
static int gather_sources(struct loading *l)
{
    for (size_t i = 0; i < l->worker_count && l->worker_count > 1; i++) {
        const struct worker *w = &l->workers[i];
        const uint32_t *strings = w->translation.strings;
        for (size_t k = 0; k < w->profiles->sources.n; k++) {
            const uint64_t pair = roxi_tally_key(&w->profiles->sources, k);
            const uint64_t own = roxi_pair(strings[pair >> 32], strings[(uint32_t)pair]);
            if (roxi_tally_add(&l->result->sources, own, 0) == ROXI_NONE)
                return -1;
        }
    }
    return 0;
}

static void translate_items(const struct loading *l, const struct roxi_load_log *log,
                            struct roxi_item *items)
{
    const struct roxi_translation *t = &l->workers[log->worker].translation;
    for (size_t i = 0; i < log->item_count; i++) {
        items[i] = log->items[i];
        if (l->worker_count > 1) {
            items[i].group = t->groups[items[i].group];
            items[i].stack = t->stacks[items[i].stack];
        }
    }
}

/* True if the JVM ended before it answered any packet; false if it was there and fell silent, or
 * could not write its log. */
static bool too_short(const struct roxi_load_log *log)
{
    return log->is_over && !log->reported && !log->last_packet;
}

/* The packets from the first to the last that any JVM answered. */
static void find_extent(const struct roxi_load_log *logs, size_t count, uint64_t *first,
                        uint64_t *last)
{
    *first = UINT64_MAX;
    *last = 0;
    for (size_t i = 0; i < count; i++) {
        if (logs[i].only_builds)
            continue;
        if (logs[i].last_packet && logs[i].first_packet < *first)
            *first = logs[i].first_packet;
        if (logs[i].last_packet > *last)
            *last = logs[i].last_packet;
    }
}

static int gather_roles(const struct roxi_load_execution *x, const struct roxi_load_log *logs,
                        struct roxi_profile *profile)
{
    uint64_t first, last;
    size_t count = 0;
    profile->roles = calloc(x->count + 1, sizeof *profile->roles);
    if (!profile->roles)
        return -1;
    find_extent(logs, x->count, &first, &last);
    for (size_t i = 0; i < x->count; i++) {
        const struct roxi_load_log *log = &logs[i];
        if (log->only_builds)
            continue;
        const uint64_t end = log->last_packet ? log->last_packet : first;
        const bool is_short = too_short(log);
        profile->roles[count++] = (struct roxi_participation){
            .role = log->role_string,
            .bad_ends = !is_short && (log->bad_end || log->torn || log->unreadable),
            .too_short = is_short,
            .vanished = is_short && log->bad_end,
            .answered = log->packets,
            .lost = log->lost,
            .lost_from = log->lost_from,
            .early = !is_short && end < last ? last - end : 0};
    }
    profile->role_count = roxi_participation_merge(profile->roles, count);
    return 0;
}

/* Moves the history of a run's logs to its profile. */
static int gather_history(const struct loading *l, const struct roxi_load_execution *x,
                          struct roxi_profile *profile)
{
    struct roxi_history *all = &profile->history;
    all->begin_ns = x->begin_ns;
    int result = 0;
    for (size_t i = 0; i < x->count; i++) {
        struct roxi_load_log *log = &l->list->logs[x->first + i];
        const struct roxi_translation *t = &l->workers[log->worker].translation;
        for (size_t k = 0; k < log->history.count && result == 0; k++) {
            struct roxi_span span = log->history.spans[k];
            span.jvm = (uint32_t)i;
            if (l->worker_count > 1) {
                span.group = t->groups[span.group];
                span.stack = t->stacks[span.stack];
            }
            result = roxi_history_add_span(all, span);
        }
        for (size_t k = 0; k < log->history.turned_count && result == 0; k++) {
            struct roxi_turned turned = log->history.turned[k];
            turned.group = l->worker_count > 1 ? t->groups[turned.group] : turned.group;
            result = roxi_history_add_turned(all, turned);
        }
        for (size_t k = 0; k < log->history.told_count && result == 0; k++) {
            struct roxi_told told = log->history.told[k];
            told.role = log->role_string;
            told.stack = l->worker_count > 1 ? t->stacks[told.stack] : told.stack;
            result = roxi_history_add_told(all, told);
        }
        for (size_t k = 0; k < log->history.used_count && result == 0; k++) {
            struct roxi_used used = log->history.used[k];
            used.role = log->role_string;
            used.jvm = (uint32_t)i;
            result = roxi_history_add_used(all, used);
        }
        for (size_t k = 0; k < log->history.moment_count && result == 0; k++)
            result = roxi_history_add_moment(all, log->history.moments[k]);
        roxi_history_free(&log->history);
    }
    roxi_history_order(all);
    return result;
}

static int gather_use(const struct loading *l, const struct roxi_load_execution *x,
                      struct roxi_profile *profile)
{
    int result = 0;
    for (size_t i = 0; i < x->count && result == 0; i++) {
        struct roxi_load_log *log = &l->list->logs[x->first + i];
        const struct roxi_translation *t = &l->workers[log->worker].translation;
        result = roxi_translate_use(l->worker_count > 1 ? t : NULL, &profile->use, &log->use,
                                    log->role_string);
        roxi_use_free(&log->use);
    }
    roxi_use_order(&profile->use);
    return result;
}

/* Joins the logs' connections; before the history is put in order. */
static int gather_traffic(const struct roxi_load_execution *x, struct roxi_load_log *logs,
                          struct roxi_profile *profile)
{
    struct roxi_traffic_jvm *jvms = calloc(x->count + 1, sizeof *jvms);
    if (!jvms)
        return -1;
    for (size_t i = 0; i < x->count; i++)
        jvms[i] = (struct roxi_traffic_jvm){&logs[i].traffic, logs[i].role_string};
    const int result = roxi_traffic_join(jvms, x->count, &profile->use,
                                         x->keeps_history ? &profile->history : NULL);
    for (size_t i = 0; i < x->count; i++)
        roxi_traffic_free(&logs[i].traffic);
    free(jvms);
    return result;
}

static int make_profile(struct loading *l, size_t execution)
{
    const struct roxi_load_execution *x = &l->list->executions[execution];
    struct roxi_profile *profile = &l->result->executions[execution];
    struct roxi_load_log *logs = &l->list->logs[x->first];
    size_t n = 0;
    for (size_t i = 0; i < x->count; i++)
        n += logs[i].item_count;
    struct roxi_item *items = calloc(n + 1, sizeof *items);
    if (!items)
        return -1;
    n = 0;
    for (size_t i = 0; i < x->count; i++) {
        translate_items(l, &logs[i], items + n);
        n += logs[i].item_count;
        free(logs[i].items);
        logs[i].items = NULL;
    }
    if (roxi_profile_make(profile, x->name, items, n) != 0)
        return -1;
    profile->interrupted = x->interrupted;
    if (x->failure && !(profile->failure = strdup(x->failure)))
        return -1;
    if (gather_roles(x, logs, profile) != 0 || gather_use(l, x, profile) != 0 ||
        gather_traffic(x, logs, profile) != 0)
        return -1;
    return gather_history(l, x, profile);
}

static void profile_job(void *user, size_t worker, size_t job)
{
    struct loading *l = user;
    struct ix_error err = {"out of memory"};
    (void)worker;
    if (is_needed(l, job))
        end_job(l, job, make_profile(l, job), &err);
}

/* Includes logs from which nothing could be read. */
static int number_roles(struct loading *l)
{
    for (size_t i = 0; i < l->list->log_count; i++) {
        struct roxi_load_log *log = &l->list->logs[i];
        log->role_string = roxi_symbols_string(l->result->symbols, log->role, strlen(log->role));
        if (log->role_string == ROXI_NONE)
            return -1;
    }
    return 0;
}

static int make_profiles(struct loading *l, struct ix_error *err)
{
    const size_t count = l->list->count;
    if (make_dictionary(l) != 0 || gather_nodes(l) != 0 || gather_sources(l) != 0 ||
        number_roles(l) != 0 ||
        !(l->result->executions = calloc(count + 1, sizeof *l->result->executions)))
        return ix_fail(err, "out of memory");
    l->result->count = l->result->cap = count;
    roxi_load_list_leave_out(l->list);
    roxi_workers_run(l->worker_count, count, profile_job, l);
    return atomic_load(&l->failed) == SIZE_MAX ? 0 : ix_fail(err, "%s", l->why.text);
}

/* ---- the whole ---- */

static int prepare(struct loading *l, struct ix_error *err)
{
    const struct roxi_load_options *o = l->options;
    /* Explanations are printed in the order in which names are met, so there must be one worker. */
    l->worker_count = o->explain ? 1 : roxi_workers(o->threads, l->list->log_count);
    l->workers = calloc(l->worker_count, sizeof *l->workers);
    l->execution_of = calloc(l->list->log_count + 1, sizeof *l->execution_of);
    if (!l->workers || !l->execution_of)
        return ix_fail(err, "out of memory");
    if (roxi_rules_learn(l->rules)) {
        l->templates = roxi_templates_new();
        l->unread = calloc(l->list->count + 1, sizeof *l->unread);
        if (!l->templates || !l->unread)
            return ix_fail(err, "out of memory");
    }
    roxi_load_list_histories(l->list, o);
    for (size_t i = 0; i < l->list->count; i++) {
        for (size_t k = 0; k < l->list->executions[i].count; k++)
            l->execution_of[l->list->executions[i].first + k] = i;
        if (l->unread)
            l->unread[i] = l->list->executions[i].count;
    }
    for (size_t i = 0; i < l->worker_count; i++) {
        struct worker *w = &l->workers[i];
        w->profiles = roxi_profiles_new();
        if (!w->profiles)
            return ix_fail(err, "out of memory");
        w->names = roxi_names_new(w->profiles->symbols, l->rules, l->templates,
                                  o->explain ? stderr : NULL, err);
        if (!w->names)
            return -1;
    }
    return 0;
}

/* -1: the first job that failed says why. */
static int fail_for_job(const struct loading *l, size_t failed, struct ix_error *err)
{
    return ix_fail(err, "run %s: %s", l->list->executions[l->execution_of[failed]].name,
                   l->why.text);
}

static int run(struct loading *l, size_t *reached, struct ix_error *err)
{
    const size_t logs = l->list->log_count;
    roxi_progress_start(&l->progress, "reading logs",
                        (double)logs * (skims(l) ? 2 : 1) + (double)l->list->count);
    int result = skims(l) ? skim(l, err) : 0;
    /* After a job has failed, earlier jobs continue: the error of the first job in order is
     * reported. */
    const size_t limit = atomic_load(&l->failed);
    if (result == 0)
        roxi_workers_run(l->worker_count, limit < logs ? limit : logs, count_job, l);
    const size_t failed = atomic_load(&l->failed);
    if (result == 0 && failed != SIZE_MAX) {
        *reached = failed;
        result = fail_for_job(l, failed, err);
    } else if (result == 0) {
        *reached = logs;
        result = make_profiles(l, err);
    }
    roxi_progress_end(&l->progress);
    return result;
}

static void release(struct loading *l)
{
    for (size_t i = 0; l->workers && i < l->worker_count; i++) {
        roxi_translation_free(&l->workers[i].translation);
        roxi_names_free(l->workers[i].names);
        roxi_profiles_free(l->workers[i].profiles);
    }
    free(l->workers);
    free(l->execution_of);
    free(l->unread);
    roxi_templates_free(l->templates);
    pthread_mutex_destroy(&l->lock);
}

struct roxi_profiles *roxi_load_logs(struct roxi_load_list *list,
                                     const struct roxi_load_options *options,
                                     const struct roxi_rules *rules, size_t *reached,
                                     struct ix_error *err)
{
    struct loading l = {.list = list, .options = options, .rules = rules, .failed = SIZE_MAX};
    *reached = 0;
    pthread_mutex_init(&l.lock, NULL);
    const int result = prepare(&l, err) == 0 ? run(&l, reached, err) : -1;
    if (result != 0) {
        roxi_profiles_free(l.result);
        l.result = NULL;
    }
    release(&l);
    return l.result;
}

struct roxi_templates *roxi_load_names(struct roxi_load_list *list,
                                       const struct roxi_load_options *options,
                                       const struct roxi_rules *rules, struct ix_error *err)
{
    struct loading l = {.list = list, .options = options, .rules = rules, .failed = SIZE_MAX};
    struct roxi_templates *templates = NULL;
    pthread_mutex_init(&l.lock, NULL);
    int result = prepare(&l, err);
    if (result == 0) {
        roxi_progress_start(&l.progress, "reading names", (double)list->log_count);
        result = skim(&l, err);
        roxi_progress_end(&l.progress);
    }
    const size_t failed = atomic_load(&l.failed);
    if (result == 0 && failed != SIZE_MAX)
        result = fail_for_job(&l, failed, err);
    if (result == 0) {
        templates = l.templates;
        l.templates = NULL;
    }
    release(&l);
    return templates;
}
