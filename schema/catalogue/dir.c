/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/catalogue/dir.h"

#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "schema/base/directories.h"

/* A campaign must not be mixed with other files: names what is there. Files that another process
 * creating the same campaign has made meanwhile are ignored. */
static int check_empty(const char *dir, struct ix_error *err)
{
    DIR *listing = opendir(dir);
    if (!listing)
        return ix_fail(err, "cannot read the directory '%s': %s", dir, strerror(errno));
    char found[3 * (NAME_MAX + 2) + 8] = "";
    size_t count = 0, used = 0;
    for (struct dirent *e; (e = readdir(listing));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
            strncmp(e->d_name, IX_CATALOGUE_FILE, strlen(IX_CATALOGUE_FILE)) == 0)
            continue;
        if (++count > 3)
            continue;
        used += (size_t)snprintf(found + used, sizeof found - used, "%s%s", count > 1 ? ", " : "",
                                 e->d_name);
    }
    closedir(listing);
    if (count == 0)
        return 0;
    return ix_fail(err,
                   "'%s' is not a campaign, and not empty either: it holds %s%s; give a new or "
                   "an empty directory",
                   dir, found, count > 3 ? " and more" : "");
}

int ix_catalogue_check_dir(const char *dir, const char *file, bool create, struct ix_error *err)
{
    struct stat s;
    if (dir[0] == '\0')
        return ix_fail(err, "a campaign's directory needs a name");
    bool exists = stat(dir, &s) == 0;
    if (!exists && errno != ENOENT)
        return ix_fail(err, "cannot open the campaign '%s': %s", dir, strerror(errno));
    if (!exists && !create)
        return ix_fail(err,
                       "'%s' is not a campaign: there is no such directory (ixor run --out %s ... "
                       "makes one)",
                       dir, dir);
    if (!exists)
        return ix_make_directory(dir, err);
    if (!S_ISDIR(s.st_mode))
        return ix_fail(err, "'%s' is not a campaign: a campaign is a directory", dir);

    if (stat(file, &s) == 0) {
        if (!S_ISREG(s.st_mode))
            return ix_fail(err, "'%s' is not a campaign: its " IX_CATALOGUE_FILE " is no file",
                           dir);
        return 0;
    }
    if (errno != ENOENT)
        return ix_fail(err, "cannot open '%s': %s", file, strerror(errno));
    if (create)
        return check_empty(dir, err);
    return ix_fail(err,
                   "'%s' is not a campaign: there is no " IX_CATALOGUE_FILE
                   " in it (ixor run --out %s ... makes one)",
                   dir, dir);
}

/* `log` with its directory's symbolic links resolved; the log itself need not exist, so that the
 * answer stays the same when it is deleted. NULL if the directory does not exist. */
static char *resolve(const char *log)
{
    char *for_dir = strdup(log), *for_base = strdup(log), *path = NULL;
    char dir[PATH_MAX];
    if (for_dir && for_base && realpath(dirname(for_dir), dir) &&
        asprintf(&path, "%s/%s", strcmp(dir, "/") == 0 ? "" : dir, basename(for_base)) < 0)
        path = NULL;
    free(for_dir);
    free(for_base);
    return path;
}

char *ix_catalogue_stored_log(const struct ix_catalogue *c, const char *log, struct ix_error *err)
{
    char *path = resolve(log);
    if (!path && log[0] == '/')
        path = strdup(log); /* of another host, perhaps */
    if (!path) {
        ix_fail(err, "'%s': cannot store the path of the log '%s': its directory does not exist",
                c->file, log);
        return NULL;
    }
    size_t len = strcmp(c->real_dir, "/") == 0 ? 0 : strlen(c->real_dir);
    if (strncmp(path, c->real_dir, len) == 0 && path[len] == '/')
        memmove(path, path + len + 1, strlen(path + len + 1) + 1);
    return path;
}

static char *inside(const struct ix_catalogue *c, const char *dir, const char *stored,
                    struct ix_error *err)
{
    char *path = NULL;
    if (stored[0] == '/')
        path = strdup(stored);
    else if (asprintf(&path, "%s/%s", dir, stored) < 0)
        path = NULL;
    if (!path)
        ix_fail(err, "'%s': out of memory", c->file);
    return path;
}

char *ix_catalogue_openable_log(const struct ix_catalogue *c, const char *stored,
                                struct ix_error *err)
{
    return inside(c, c->dir, stored, err);
}

char *ix_catalogue_absolute_log(const struct ix_catalogue *c, const char *stored,
                                struct ix_error *err)
{
    return inside(c, strcmp(c->real_dir, "/") == 0 ? "" : c->real_dir, stored, err);
}
