/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/merge/merge.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "roxi/base/interrupt.h"
#include "roxi/base/staging.h"
#include "roxi/base/warn.h"
#include "roxi/campaign/log_end.h"
#include "roxi/merge/files.h"
#include "roxi/merge/names.h"
#include "roxi/merge/place.h"
#include "roxi/merge/shard.h"
#include "schema/catalogue/copy.h"
#include "schema/tracelog/reader.h"

struct merge {
    struct roxi_shard *shards; /* those that are open */
    size_t count;
    struct roxi_staging staging;
    struct roxi_merged *merged;
};

/* ---- logs ---- */

struct checking {
    struct merge *merge;
    const struct roxi_shard *shard;
    struct ix_error *err;
};

/* What is wrong with a log, or NULL, in *problem, which the caller frees. 0, or -1: out of memory.
 */
static int read_log(struct ix_log_reader *log, const char *path, uint64_t reported, char **problem)
{
    struct ix_error why;
    uint64_t packet = 0;
    int status;
    while ((status = ix_log_next_packet(log, &packet, &why)) == 1)
        ;
    if (status == 0)
        return roxi_log_end(log, path, packet, reported, problem);
    *problem = strdup(why.text);
    return *problem ? 0 : -1;
}

/* *problem: as above. 0, or -1 with a message. */
static int check_log(const struct ix_vm *vm, const struct checking *c, char **problem)
{
    struct roxi_merged *merged = c->merge->merged;
    struct ix_error why;
    uint64_t reported;
    if (roxi_log_reported(c->shard->catalogue, vm, &reported, c->err) != 0)
        return -1;
    errno = 0;
    struct ix_log_reader *log = ix_log_open(vm->log, &why);
    if (!log && roxi_ran_short(errno))
        return ix_fail(c->err, "%s", why.text);
    int result = -1;
    if (log)
        result = read_log(log, vm->log, reported, problem);
    else if ((*problem = strdup(why.text)))
        result = 0;
    merged->missing += !log;
    merged->torn += log && *problem;
    ix_log_reader_close(log);
    return result == 0 ? 0 : ix_fail(c->err, "out of memory");
}

static int check_vm(void *user, const struct ix_vm *vm)
{
    const struct checking *c = user;
    const struct roxi_shard_run *run = roxi_shard_run_at(c->shard, vm->execution);
    char *problem = NULL;
    const int status = check_log(vm, c, &problem);
    c->merge->merged->vms++;
    if (problem)
        roxi_warn("run %s: %s: %s", run ? run->new_name : "?", vm->role, problem);
    free(problem);
    if (status == 0 && roxi_interrupted())
        return ix_fail(c->err, "interrupted");
    return status;
}

/* ---- one campaign ---- */

static int copy_run(const struct merge *m, const struct roxi_shard *s,
                    const struct roxi_shard_run *run, struct ix_error *err)
{
    char *from = NULL, *to = NULL;
    int result = 0;
    if (asprintf(&from, "%s/runs/%s", s->real, run->name) < 0)
        from = NULL;
    if (asprintf(&to, "%s/runs/%s", m->staging.path, run->new_name) < 0)
        to = NULL;
    result = from && to ? roxi_copy_tree(from, to, err) : ix_fail(err, "out of memory");
    free(from);
    free(to);
    return result;
}

static int add_shard(struct merge *m, struct ix_catalogue *to, struct roxi_shard *s,
                     struct ix_error *err)
{
    struct checking checking = {m, s, err};
    const struct roxi_place place = {s, m->staging.path};
    const struct ix_catalogue_renaming renaming = {roxi_place_run, roxi_place_log, (void *)&place};
    for (size_t i = 0; i < s->count; i++)
        if (copy_run(m, s, &s->runs[i], err) != 0)
            return -1;
    m->merged->runs += s->count;
    if (ix_catalogue_copy(to, s->catalogue, &renaming, err) != 0)
        return -1;
    return ix_catalogue_vms(s->catalogue, 0, check_vm, &checking, err);
}

static int fill(struct merge *m, struct ix_error *err)
{
    struct ix_catalogue *to = ix_catalogue_open(m->staging.path, IX_CATALOGUE_CREATE, err);
    if (!to)
        return -1;
    int result = ix_catalogue_begin(to, err);
    for (size_t i = 0; result == 0 && i < m->count; i++)
        result = add_shard(m, to, &m->shards[i], err);
    if (result == 0)
        result = ix_catalogue_commit(to, err);
    else
        ix_catalogue_rollback(to);
    ix_catalogue_close(to);
    return result;
}

/* ---- the whole ---- */

/* The path without symbolic links of `path` or of the nearest directory above it that exists. -1:
 * out of memory, or there is none. */
static int find_existing(const char *path, char real[PATH_MAX])
{
    char *at = strdup(path);
    int result = at ? 1 : -1;
    while (result > 0) {
        char *slash = strrchr(at, '/');
        if (realpath(at, real))
            result = 0;
        else if (slash && slash > at)
            *slash = '\0';
        else
            result = realpath(slash ? "/" : ".", real) ? 0 : -1;
    }
    free(at);
    return result;
}

/* A campaign that is read must not change. */
static int check_target(const struct merge *m, const char *target, struct ix_error *err)
{
    char real[PATH_MAX];
    if (find_existing(target, real) != 0)
        return ix_fail(err, "cannot make '%s': %s", target, strerror(errno));
    for (size_t i = 0; i < m->count; i++) {
        const size_t len = strlen(m->shards[i].real);
        if (strncmp(real, m->shards[i].real, len) == 0 && (!real[len] || real[len] == '/'))
            return ix_fail(err, "'%s' would be inside the campaign '%s'; choose another directory",
                           target, m->shards[i].dir);
    }
    return 0;
}

static int check_free(const char *target, struct ix_error *err)
{
    struct stat st;
    if (lstat(target, &st) != 0)
        return 0;
    return ix_fail(err, "'%s' exists; -o takes the name of a new directory", target);
}

static int open_shards(struct merge *m, const char *const *dirs, size_t count, struct ix_error *err)
{
    m->shards = calloc(count, sizeof *m->shards);
    if (!m->shards)
        return ix_fail(err, "out of memory");
    while (m->count < count) {
        if (roxi_shard_open(&m->shards[m->count], dirs[m->count], err) != 0)
            return -1;
        m->count++;
    }
    return roxi_shards_distinct(m->shards, m->count, err);
}

static int run(struct merge *m, const char *const *dirs, size_t count, const char *target,
               struct ix_error *err)
{
    if (check_free(target, err) != 0 || open_shards(m, dirs, count, err) != 0 ||
        roxi_merge_name(m->shards, m->count, &m->merged->renamed, err) != 0 ||
        check_target(m, target, err) != 0 || roxi_staging_make(&m->staging, target, err) != 0 ||
        fill(m, err) != 0)
        return -1;
    return roxi_staging_place(&m->staging, err);
}

int roxi_merge(const char *const *dirs, size_t count, const char *target,
               struct roxi_merged *merged, struct ix_error *err)
{
    struct merge m = {.merged = merged};
    *merged = (struct roxi_merged){0};
    roxi_interrupt_catch();
    const int result = run(&m, dirs, count, target, err);
    roxi_interrupt_release();
    if (result == 0)
        roxi_staging_keep(&m.staging);
    else
        roxi_staging_abandon(&m.staging);
    for (size_t i = 0; i < m.count; i++)
        roxi_shard_close(&m.shards[i]);
    free(m.shards);
    return result;
}
