/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/export/export.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "roxi/base/json.h"
#include "roxi/base/warn.h"
#include "roxi/campaign/log_end.h"

static const struct export_format *const formats[] = {
    &export_collapsed, &export_json, &export_speedscope, &export_pprof, &export_jstack, &export_dot,
};

const struct export_format *export_format_find(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

void export_origin(FILE *out, const struct export_options *o)
{
    struct roxi_json j = {.out = out};
    roxi_json_put_string(&j, "roxi", IXOR_VERSION);
    roxi_json_put_string(&j, "campaign", o->campaign);
    roxi_json_key(&j, "options");
    roxi_json_open(&j, '{');
    roxi_json_put_string(&j, "format", o->format);
    if (o->execution)
        roxi_json_put_string(&j, "execution", o->execution);
    if (o->role)
        roxi_json_put_string(&j, "role", o->role);
    if (o->packet)
        roxi_json_put_count(&j, "packet", o->packet);
    if (o->lines)
        roxi_json_put_bool(&j, "lines", true);
    if (o->no_threads)
        roxi_json_put_bool(&j, "no-threads", true);
    if (o->max_nodes)
        roxi_json_put_count(&j, "max-nodes", o->max_nodes);
    roxi_json_close(&j);
}

/* ---- the walk ---- */

struct walk {
    struct export x;
    const struct export_format *format;
    uint64_t vms, snapshots; /* numbers that match the options */
    struct ix_error *err;
};

static int call(int (*step)(struct export *, struct ix_error *), struct export *x,
                struct ix_error *err)
{
    return step ? step(x, err) : 0;
}

int export_read_log(struct export *x, const struct export_format *format, struct ix_log_reader *log,
                    uint64_t *snapshots, struct ix_error *err)
{
    const uint64_t packet = x->options->packet;
    struct ix_snapshot s;
    int more;
    x->reader = log;
    x->last_packet = 0;
    export_log_init(&x->log, log, &x->dictionary);
    while ((more = ix_log_next(log, &s, err)) > 0) {
        x->last_packet = s.packet;
        if (packet && s.packet != packet)
            continue;
        ++*snapshots;
        if (format->snapshot(x, &s, err) != 0) {
            more = -1;
            break;
        }
    }
    return more == 0 && !packet ? call(format->rest, x, err) : more;
}

/* A JVM that was killed before its first snapshot may have no log. */
static struct ix_log_reader *open_log(const struct walk *w, int *result, struct ix_error *why)
{
    errno = 0;
    struct ix_log_reader *log = ix_log_open(w->x.vm->log, why);
    *result = !log && roxi_ran_short(errno) ? ix_fail(w->err, "%s", why->text) : 0;
    if (!log && *result == 0)
        roxi_warn("run %s: %s is left out: %s", w->x.execution->name, w->x.vm->role, why->text);
    return log;
}

/* *problem: with its end, or NULL; to be freed. */
static int read_log(struct walk *w, struct ix_log_reader *log, char **problem)
{
    struct export *x = &w->x;
    if (export_read_log(x, w->format, log, &w->snapshots, w->err) != 0)
        return -1;
    if (roxi_log_end(log, x->vm->log, x->last_packet, x->vm->reported, problem) != 0)
        return ix_fail(w->err, "out of memory");
    return 0;
}

static int walk_vm(struct walk *w)
{
    struct export *x = &w->x;
    struct ix_error why;
    if (x->options->role && strcmp(x->options->role, x->vm->role) != 0)
        return 0;
    w->vms++;
    if (call(w->format->vm_begin, x, w->err) != 0)
        return -1;
    int result;
    char *problem = NULL;
    struct ix_log_reader *log = open_log(w, &result, &why);
    if (result == 0 && log)
        result = read_log(w, log, &problem);
    x->problem = log ? problem : why.text;
    if (problem)
        roxi_warn("run %s: %s", x->execution->name, problem);
    if (result == 0)
        result = call(w->format->vm_end, x, w->err);
    x->problem = NULL;
    free(problem);
    x->reader = NULL;
    export_log_release(&x->log);
    ix_log_reader_close(log);
    return result;
}

static int walk_execution(struct walk *w)
{
    int result = call(w->format->execution_begin, &w->x, w->err);
    for (size_t i = 0; result == 0 && i < w->x.execution->vm_count; i++) {
        w->x.vm = &w->x.execution->vms[i];
        result = walk_vm(w);
    }
    return result == 0 ? call(w->format->execution_end, &w->x, w->err) : -1;
}

/* Other programs do not report an empty file clearly, so it is an error here. */
static int check_found(const struct walk *w)
{
    const struct export_options *o = w->x.options;
    if (w->snapshots)
        return 0;
    const char *of = o->execution ? "run" : "campaign";
    const char *name = o->execution ? o->execution : o->campaign;
    if (o->role && !w->vms)
        return ix_fail(w->err, "the %s '%s' has no JVM with the role '%s'", of, name, o->role);
    if (o->packet)
        return ix_fail(w->err, "the %s '%s' has no snapshot with packet number %" PRIu64, of, name,
                       o->packet);
    return ix_fail(w->err, "the %s '%s' has no snapshots", of, name);
}

static int walk(struct walk *w, const struct roxi_listing *listing)
{
    int result = call(w->format->begin, &w->x, w->err);
    for (size_t i = 0; result == 0 && i < listing->count; i++) {
        w->x.execution = &listing->executions[i];
        result = walk_execution(w);
    }
    if (result == 0)
        result = check_found(w);
    return result == 0 ? call(w->format->end, &w->x, w->err) : -1;
}

int export_write(const struct export_format *format, const struct export_options *options,
                 FILE *out, struct ix_error *err)
{
    struct roxi_listing listing;
    struct walk w = {.x = {.options = options, .out = out}, .format = format, .err = err};
    w.x.dictionary.keeps = format->keeps | (options->lines ? EXPORT_LINES : 0);
    if (roxi_listing_read(&listing, options->campaign, options->execution, err) != 0)
        return -1;
    w.x.state = calloc(1, format->state_size);
    int result = w.x.state ? walk(&w, &listing) : ix_fail(err, "out of memory");
    if (w.x.state && format->release)
        format->release(w.x.state);
    free(w.x.state);
    export_dictionary_free(&w.x.dictionary);
    roxi_listing_free(&listing);
    return result;
}
