/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/merge/files.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "roxi/base/interrupt.h"
#include "roxi/base/warn.h"
#include "schema/base/directories.h"
#include "schema/tracelog/parts.h"

enum { CHUNK = 64 << 20, BUFFER = 256 << 10 };

static int write_fully(int fd, const char *data, size_t size)
{
    while (size) {
        const ssize_t n = write(fd, data, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        data += n;
        size -= (size_t)n;
    }
    return 0;
}

/* -1 with errno. */
static int copy_by_hand(int from, int to)
{
    char *buffer = malloc(BUFFER);
    int result = -1;
    while (buffer) {
        const ssize_t n = read(from, buffer, BUFFER);
        if (n < 0 && errno == EINTR)
            continue;
        if (n > 0 && write_fully(to, buffer, (size_t)n) == 0)
            continue;
        if (n == 0)
            result = 0;
        break;
    }
    const int why = errno;
    free(buffer);
    errno = why;
    return result;
}

/* Not every pair of file systems can, so a failure is left to reading and writing, which continues
 * where this stopped. Some report nothing to copy for files that are made while they are read. */
static int copy_bytes(int from, int to)
{
    while (copy_file_range(from, NULL, to, NULL, CHUNK, 0) > 0)
        ;
    return copy_by_hand(from, to);
}

/* Opens without waiting for the writer of a FIFO. */
static int open_file(const char *path, struct ix_error *err)
{
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0)
        return ix_fail(err, "cannot read '%s': %s", path, strerror(errno));
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        return fd;
    close(fd);
    return ix_fail(err, "cannot copy '%s': it is not a file", path);
}

int roxi_copy_file(const char *from, const char *to, struct ix_error *err)
{
    const int in = open_file(from, err);
    if (in < 0)
        return -1;
    const int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    int result = out < 0 ? -1 : copy_bytes(in, out);
    int why = errno;
    if (out >= 0 && close(out) != 0 && result == 0) {
        result = -1;
        why = errno;
    }
    close(in);
    return result == 0 ? 0 : ix_fail(err, "cannot copy '%s' to '%s': %s", from, to, strerror(why));
}

/* ---- trees ---- */

static int copy_entry(const FTSENT *e, const char *to, struct ix_error *err)
{
    switch (e->fts_info) {
    case FTS_D:
        return ix_make_directory(to, err);
    case FTS_DP:
        return 0;
    case FTS_F:
        return roxi_copy_file(e->fts_path, to, err);
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS:
        return ix_fail(err, "cannot read '%s': %s", e->fts_path, strerror(e->fts_errno));
    default:
        roxi_warn("%s is left out: it is neither a file nor a directory", e->fts_path);
        return 0;
    }
}

static int copy_all(FTS *tree, size_t from_len, const char *to, struct ix_error *err)
{
    FTSENT *e;
    while ((errno = 0, e = fts_read(tree))) {
        char *target;
        if (roxi_interrupted())
            return ix_fail(err, "interrupted");
        if (asprintf(&target, "%s%s", to, e->fts_path + from_len) < 0)
            return ix_fail(err, "out of memory");
        const int result = copy_entry(e, target, err);
        free(target);
        if (result != 0)
            return -1;
    }
    return errno ? ix_fail(err, "cannot list a directory: %s", strerror(errno)) : 0;
}

int roxi_copy_tree(const char *from, const char *to, struct ix_error *err)
{
    struct stat st;
    if (lstat(from, &st) != 0 && errno == ENOENT)
        return 0;
    char *path = strdup(from), *paths[] = {path, NULL};
    FTS *tree = path ? fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL) : NULL;
    int result = tree ? copy_all(tree, strlen(from), to, err) : ix_fail(err, "out of memory");
    if (tree)
        fts_close(tree);
    free(path);
    return result;
}

/* ---- logs ---- */

static int copy_part(const char *from, const char *to, uint32_t number, struct ix_error *err)
{
    char *old = ix_part_path(from, number), *new = ix_part_path(to, number);
    const int result = old && new ? roxi_copy_file(old, new, err) : ix_fail(err, "out of memory");
    free(old);
    free(new);
    return result;
}

int roxi_copy_log(const char *from, const char *to, struct ix_error *err)
{
    struct ix_parts parts = {0};
    int result = ix_parts_find(&parts, from) == 0 ? 0 : ix_fail(err, "out of memory");
    for (size_t i = 0; result == 0 && i < parts.count; i++)
        result = copy_part(from, to, parts.numbers[i], err);
    /* Between two parts the last file may not exist. */
    if (result == 0 && (parts.count == 0 || access(from, F_OK) == 0))
        result = roxi_copy_file(from, to, err);
    ix_parts_free(&parts);
    return result;
}
