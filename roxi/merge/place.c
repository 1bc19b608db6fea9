/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/merge/place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "roxi/base/warn.h"
#include "roxi/merge/files.h"
#include "schema/base/directories.h"
#include "schema/tracelog/reader.h"

static char *no_memory(struct ix_error *err)
{
    ix_fail(err, "out of memory");
    return NULL;
}

char *roxi_place_run(void *user, const char *name, struct ix_error *err)
{
    const struct roxi_place *p = user;
    const struct roxi_shard_run *run = roxi_shard_run_named(p->shard, name, strlen(name));
    char *copy = run ? strdup(run->new_name) : NULL;
    return copy ? copy : no_memory(err);
}

/* Has the path a component ".."? */
static bool leaves(const char *path)
{
    for (const char *at = path; at; at = strchr(at, '/')) {
        at += *at == '/';
        if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || !at[2]))
            return true;
    }
    return false;
}

/* The run in whose directory a stored path is; NULL: in none. *rest: the path in there, with its
 * slash. */
static const struct roxi_shard_run *home_of(const struct roxi_shard *s, const char *stored,
                                            const char **rest)
{
    static const char runs[] = "runs/";
    if (strncmp(stored, runs, sizeof runs - 1) != 0 || leaves(stored))
        return NULL;
    const char *name = stored + sizeof runs - 1;
    *rest = strchr(name, '/');
    return *rest ? roxi_shard_run_named(s, name, (size_t)(*rest - name)) : NULL;
}

/* 1 if `path` is a trace log, 0 if it is none or cannot be read, -1 with a message. A catalogue may
 * come from anywhere, so that no other file is copied because it names one. */
static int is_log(const char *path, struct ix_error *err)
{
    struct ix_error why;
    errno = 0;
    struct ix_log_reader *log = ix_log_open(path, &why);
    if (!log && roxi_ran_short(errno))
        return ix_fail(err, "%s", why.text);
    ix_log_reader_close(log);
    return log != NULL;
}

/* Copies the log into the directory of its run, under a name that is not taken there; returns its
 * path relative to the merged campaign. */
static char *bring(const struct roxi_place *p, const struct roxi_shard_run *run, const char *from,
                   struct ix_error *err)
{
    const char *base = strrchr(from, '/') + 1;
    char *relative = NULL, *path = NULL;
    for (unsigned n = 1; n; n++) {
        char number[16] = "";
        if (n > 1)
            snprintf(number, sizeof number, "%u-", n);
        free(relative);
        free(path);
        path = NULL;
        if (asprintf(&relative, "runs/%s/%s%s", run->new_name, number, base) < 0)
            return no_memory(err);
        if (asprintf(&path, "%s/%s", p->target, relative) < 0) {
            free(relative);
            return no_memory(err);
        }
        if (access(path, F_OK) != 0)
            break;
    }
    if (ix_make_parents(path, err) != 0 || roxi_copy_log(from, path, err) != 0) {
        free(relative);
        relative = NULL;
    }
    free(path);
    return relative;
}

char *roxi_place_log(void *user, int64_t id, const char *stored, struct ix_error *err)
{
    const struct roxi_place *p = user;
    const char *rest;
    char *path = NULL, *placed = NULL;
    const struct roxi_shard_run *run = home_of(p->shard, stored, &rest);
    if (run)
        return asprintf(&placed, "runs/%s%s", run->new_name, rest) < 0 ? no_memory(err) : placed;
    run = roxi_shard_run_at(p->shard, id);
    if (asprintf(&path, "%s%s%s", stored[0] == '/' ? "" : p->shard->real,
                 stored[0] == '/' ? "" : "/", stored) < 0)
        return no_memory(err);
    const int found = run ? is_log(path, err) : 0;
    if (found > 0)
        placed = bring(p, run, path, err);
    else if (found == 0 && !(placed = strdup(stored)))
        no_memory(err);
    free(path);
    return placed;
}
