/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/tracelog/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Parts that a listing may miss because they are created meanwhile. */
#define UNSEEN_MAX 100

/* PATH first and then the parts: the other way round, a writer that turns PATH into a part
 * meanwhile would hide it. Seen twice, ix_files_next recognises it. */
static int find_parts(struct ix_files *files)
{
    files->has_last = ix_source_open(&files->last, files->path) == 0;
    if (!files->has_last && errno != ENOENT)
        return -1;
    if (ix_parts_find(&files->parts, files->path) == 0)
        return 0;
    errno = ENOMEM;
    return -1;
}

int ix_files_open(struct ix_files *files, const char *path)
{
    *files = (struct ix_files){.path = strdup(path)};
    int status = -1;
    if (!files->path) {
        errno = ENOMEM;
        return -1;
    }
    /* If nothing is found, a writer may be in the middle of renaming, which takes only a moment. */
    for (int tries = 0; tries < 2; tries++) {
        ix_parts_free(&files->parts);
        status = find_parts(files);
        if (status < 0 || files->has_last || files->parts.count)
            break;
    }
    if (status == 0 && !files->has_last && !files->parts.count) {
        errno = ENOENT;
        status = -1;
    }
    if (status < 0) {
        const int why = errno;
        ix_files_close(files);
        errno = why;
    }
    return status;
}

static int next_last(struct ix_files *files, struct ix_source *source, char **name)
{
    if (!files->has_last)
        return 0;
    *name = strdup(files->path);
    if (!*name) {
        errno = ENOMEM;
        return -1;
    }
    *source = files->last;
    files->has_last = false;
    return 1;
}

/* The number of the part to look for. Entries created while a directory is listed may be missing
 * although later ones are seen, so those in between are tried, too. */
static uint32_t next_number(struct ix_files *files)
{
    const uint32_t seen = files->parts.numbers[files->at];
    if (files->tried && seen - files->tried > 1 && seen - files->tried <= UNSEEN_MAX)
        return ++files->tried;
    files->at++;
    return files->tried = seen;
}

int ix_files_next(struct ix_files *files, struct ix_source *source, char **name)
{
    *name = NULL;
    while (files->at < files->parts.count) {
        char *part = ix_part_path(files->path, next_number(files));
        if (!part) {
            errno = ENOMEM;
            return -1;
        }
        if (ix_source_open(source, part) == 0) {
            if (!files->has_last || !ix_source_same(source, &files->last)) {
                *name = part;
                return 1;
            }
            ix_source_close(source);
            files->at = files->parts.count;
        } else if (errno != ENOENT) {
            *name = part;
            return -1;
        }
        free(part);
    }
    return next_last(files, source, name);
}

void ix_files_close(struct ix_files *files)
{
    if (files->has_last)
        ix_source_close(&files->last);
    ix_parts_free(&files->parts);
    free(files->path);
    *files = (struct ix_files){0};
}
