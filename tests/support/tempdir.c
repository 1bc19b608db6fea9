/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/tempdir.h"

#include <ftw.h>

char tempdir[64];

int tempdir_make(void **state)
{
    (void)state;
    snprintf(tempdir, sizeof tempdir, "/tmp/ixor-test-XXXXXX");
    return mkdtemp(tempdir) ? 0 : -1;
}

static int tempdir_remove_one(const char *path, const struct stat *s, int type, struct FTW *ftw)
{
    (void)s;
    (void)type;
    (void)ftw;
    return remove(path);
}

int tempdir_remove(void **state)
{
    (void)state;
    return nftw(tempdir, tempdir_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *in_tempdir(const char *name)
{
    static char paths[8][PATH_MAX];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, PATH_MAX, "%s/%s", tempdir, name);
    return path;
}
