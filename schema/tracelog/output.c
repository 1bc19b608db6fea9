/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/tracelog/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "schema/base/descriptor.h"
#include "schema/base/directories.h"
#include "schema/tracelog/parts.h"
#include "schema/tracelog/tracelog.h"

static int start(struct ix_output *output, int fd, const char *path, struct ix_error *err)
{
    *output = (struct ix_output){.fd = fd};
    int length =
        path ? asprintf(&output->name, "'%s'", path) : asprintf(&output->name, "descriptor %d", fd);
    if (length < 0)
        output->name = NULL;
    if (path)
        output->path = strdup(path);
    ix_put_bytes(&output->ready, IX_LOG_MAGIC, IX_LOG_MAGIC_SIZE);
    ix_put_u16(&output->ready, IX_LOG_MAJOR);
    ix_put_u16(&output->ready, IX_LOG_MINOR);
    int status = 0;
    if (!output->name || (path && !output->path) || output->ready.failed)
        status = ix_fail(err, "cannot start a trace log: memory ran out");
    else
        status = ix_output_flush(output, err);
    if (status < 0)
        ix_output_close(output);
    return status;
}

int ix_output_create(struct ix_output *output, const char *path, struct ix_error *err)
{
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
    int fd = open(path, flags, 0644);
    if (fd < 0 && errno == ENOENT && *path) {
        if (ix_make_parents(path, err) < 0)
            return ix_fail_in(err, "cannot create trace log '%s'", path);
        fd = open(path, flags, 0644);
    }
    fd = ix_above_streams(fd);
    if (fd < 0)
        return ix_fail(err, "cannot create trace log '%s': %s", path, strerror(errno));
    if (start(output, fd, path, err) == 0)
        return 0;
    unlink(path); /* it is ours, and useless without its header */
    return -1;
}

int ix_output_adopt(struct ix_output *output, int fd, struct ix_error *err)
{
    return start(output, fd, NULL, err);
}

/* Renames, but never over an existing file. 0, or -1 with errno. */
static int rename_new(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    /* A file system that cannot promise it. */
    if (access(to, F_OK) == 0) {
        errno = EEXIST;
        return -1;
    }
    return rename(from, to);
}

/* True if the path still leads to the file that is being written. */
static bool in_its_place(const struct ix_output *output)
{
    struct stat ours, there;
    if (fstat(output->fd, &ours) < 0 || stat(output->path, &there) < 0)
        return false;
    if (ours.st_dev == there.st_dev && ours.st_ino == there.st_ino)
        return true;
    errno = EEXIST;
    return false;
}

int ix_output_next(struct ix_output *output, uint32_t number, struct ix_error *err)
{
    char *part = ix_part_path(output->path, number);
    struct ix_output next;
    int status = 0;
    if (!part)
        return ix_fail(err, "cannot end trace log %s: memory ran out", output->name);
    if (!in_its_place(output) || rename_new(output->path, part) < 0) {
        status =
            ix_fail(err, "cannot make trace log %s '%s': %s", output->name, part, strerror(errno));
    } else if (ix_output_create(&next, output->path, err) < 0) {
        rename_new(part, output->path); /* if that fails, too, readers find it where it is */
        status = -1;
    } else {
        status = ix_output_close(output);
        if (status < 0)
            ix_fail(err, "cannot write trace log '%s': %s", part, strerror(errno));
        *output = next;
    }
    free(part);
    return status;
}

void ix_output_record(struct ix_output *output, uint8_t type, const struct ix_out *payload)
{
    struct ix_out *ready = &output->ready;
    size_t begin = ready->len;
    ix_put_u8(ready, type);
    ix_put_varint(ready, payload->len);
    ix_put_bytes(ready, payload->data, payload->len);
    if (!ready->failed)
        ix_put_u32(ready, (uint32_t)XXH3_64bits(ready->data + begin, ready->len - begin));
}

int ix_output_flush(struct ix_output *output, struct ix_error *err)
{
    const struct ix_out *ready = &output->ready;
    size_t done = 0;
    while (done < ready->len) {
        ssize_t n = write(output->fd, ready->data + done, ready->len - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            const char *reason = strerror(n < 0 ? errno : ENOSPC);
            bool whole = ftruncate(output->fd, (off_t)output->bytes) == 0;
            return ix_fail(err, "cannot write trace log %s: %s; %s", output->name, reason,
                           whole ? "it ends with the last whole snapshot" : "its tail may be torn");
        }
        done += (size_t)n;
    }
    output->bytes += done;
    ix_out_clear(&output->ready);
    return 0;
}

int ix_output_close(struct ix_output *output)
{
    const int status = close(output->fd), why = errno;
    ix_out_free(&output->ready);
    free(output->path);
    free(output->name);
    errno = why; /* of a status of -1 */
    return status;
}
