/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/base/staging.h"

#include <errno.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "roxi/base/warn.h"
#include "schema/base/directories.h"

/* The most directories that nftw may hold open; deeper down it closes and reopens them. */
enum { OPEN_DIRECTORIES = 16 };

/* Length of `path` without trailing slashes; "/" stays. */
static size_t trimmed(const char *path)
{
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    return len;
}

int roxi_staging_make(struct roxi_staging *s, const char *target, struct ix_error *err)
{
    *s = (struct roxi_staging){.target = strndup(target, trimmed(target))};
    const char *slash = s->target ? strrchr(s->target, '/') : NULL;
    int parent = slash ? (int)(slash - s->target + 1) : 0;
    if (!s->target || asprintf(&s->path, "%.*s.roxi-XXXXXX", parent, s->target) < 0) {
        s->path = NULL;
        roxi_staging_keep(s);
        return ix_fail(err, "out of memory");
    }
    mode_t mask = umask(0);
    umask(mask);
    if (ix_make_parents(s->path, err) != 0) {
        roxi_staging_keep(s);
        return -1;
    }
    if (!mkdtemp(s->path)) {
        ix_fail(err, "cannot make a directory for '%s': %s", target, strerror(errno));
        roxi_staging_keep(s);
        return -1;
    }
    if (chmod(s->path, 0777 & ~mask) != 0) {
        ix_fail(err, "cannot set the mode of '%s': %s", s->path, strerror(errno));
        roxi_staging_abandon(s);
        return -1;
    }
    return 0;
}

int roxi_staging_place(struct roxi_staging *s, struct ix_error *err)
{
    if (rename(s->path, s->target) != 0) {
        bool taken = errno == ENOTEMPTY || errno == EEXIST;
        return ix_fail(err, "cannot make '%s': %s", s->target,
                       taken ? "a directory that is not empty is there" : strerror(errno));
    }
    free(s->path);
    s->path = s->target;
    s->target = NULL;
    return 0;
}

void roxi_staging_keep(struct roxi_staging *s)
{
    free(s->target);
    free(s->path);
    *s = (struct roxi_staging){0};
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)st;
    (void)type;
    (void)where;
    remove(path);
    return 0;
}

static bool is_there(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

void roxi_staging_abandon(struct roxi_staging *s)
{
    /* The second time, if there was no memory for the first. */
    for (int tries = 0; tries < 2 && s->path && is_there(s->path); tries++)
        nftw(s->path, remove_one, OPEN_DIRECTORIES, FTW_DEPTH | FTW_PHYS);
    if (s->path && is_there(s->path))
        roxi_warn("cannot remove the temporary directory '%s'", s->path);
    roxi_staging_keep(s);
}
