/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/base/directories.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

static int make(const char *path, bool last_too, struct ix_error *err)
{
    char part[PATH_MAX];
    size_t len = strlen(path);
    if (len >= sizeof part)
        return ix_fail(err, "cannot make '%.60s...': its name is too long", path);
    memcpy(part, path, len + 1);
    for (size_t i = 1; i <= len; i++) {
        if (path[i] != '/' && (path[i] || !last_too))
            continue;
        part[i] = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return ix_fail(err, "cannot make the directory '%s': %s", part, strerror(errno));
        part[i] = path[i];
    }
    return 0;
}

int ix_make_directory(const char *path, struct ix_error *err)
{
    return make(path, true, err);
}

int ix_make_parents(const char *path, struct ix_error *err)
{
    return make(path, false, err);
}
