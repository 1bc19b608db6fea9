/* SPDX-License-Identifier: Apache-2.0 */
#include "server/junit/find.h"

#include <fnmatch.h>
#include <fts.h>
#include <glob.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The first ** that is a directory's whole name; NULL if there is none. */
static const char *stars_in(const char *pattern)
{
    for (const char *at = pattern; (at = strstr(at, "**")); at += 2) {
        if ((at == pattern || at[-1] == '/') && (at[2] == '/' || at[2] == '\0'))
            return at;
    }
    return NULL;
}

int ixor_find_check(const char *pattern, struct ix_error *err)
{
    const char *stars = stars_in(pattern);
    return stars && stars_in(stars + 2) ? ix_fail(err, "'%s' has more than one **", pattern) : 0;
}

/* 0 also if nothing matches; globfree releases the list in either case. */
static int expand(const char *pattern, glob_t *list, struct ix_error *err)
{
    const int result = glob(pattern, 0, NULL, list);
    return result == 0 || result == GLOB_NOMATCH ? 0 : ix_fail(err, "out of memory");
}

/* Whether the end of a path, from the beginning of some name in it, matches. */
static bool ends_like(const char *path, const char *pattern)
{
    for (const char *at = path; at; at = strchr(at, '/')) {
        at += at[0] == '/';
        if (fnmatch(pattern, at, FNM_PATHNAME | FNM_PERIOD) == 0)
            return true;
    }
    return false;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static size_t without_slashes(const char *path)
{
    size_t len = strlen(path);
    while (len && path[len - 1] == '/')
        len--;
    return len;
}

/* Looks in `tops`, which end with NULL, and in all directories below. */
static int walk(char *const *tops, const char *pattern, void (*each)(void *user, const char *path),
                void *user, struct ix_error *err)
{
    FTS *tree = fts_open(tops, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
    size_t top = 0; /* length of its path, without a slash at the end */
    if (!tree)
        return ix_fail(err, "out of memory");
    for (FTSENT *e; (e = fts_read(tree));) {
        const bool is_directory = e->fts_info == FTS_D;
        if (e->fts_level == FTS_ROOTLEVEL)
            top = without_slashes(e->fts_path);
        else if (is_directory && e->fts_name[0] == '.')
            fts_set(tree, e, FTS_SKIP);
        else if (e->fts_info == FTS_F && ends_like(e->fts_path + top + 1, pattern))
            each(user, e->fts_path);
    }
    fts_close(tree);
    return 0;
}

int ixor_find_files(const char *pattern, void (*each)(void *user, const char *path), void *user,
                    struct ix_error *err)
{
    const char *stars = stars_in(pattern);
    const size_t before = stars ? (size_t)(stars - pattern) : 0;
    char *top = stars && before ? strndup(pattern, before) : strdup(stars ? "." : pattern);
    glob_t list = {0};
    int result = top ? expand(top, &list, err) : ix_fail(err, "out of memory");
    for (size_t i = 0; result == 0 && !stars && i < list.gl_pathc; i++)
        each(user, list.gl_pathv[i]);
    if (result == 0 && stars && list.gl_pathc)
        result = walk(list.gl_pathv, stars[2] ? stars + 3 : "*", each, user, err);
    globfree(&list);
    free(top);
    return result;
}
