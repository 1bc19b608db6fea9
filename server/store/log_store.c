/* SPDX-License-Identifier: Apache-2.0 */
#include "server/store/log_store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Bytes of a role's and a host's name that are used in a file name. */
#define NAME_KEPT 60

struct ixor_log_store {
    char *dir; /* absolute, without links */
    int fd;
};

struct ixor_log_store *ixor_log_store_new(const char *dir, struct ix_error *err)
{
    struct ixor_log_store *d = calloc(1, sizeof *d);
    if (!d) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    d->dir = realpath(dir, NULL);
    d->fd = d->dir ? open(d->dir, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    if (d->fd >= 0)
        return d;
    ix_fail(err, "cannot open the directory '%s': %s", dir, strerror(errno));
    ixor_log_store_free(d);
    return NULL;
}

void ixor_log_store_free(struct ixor_log_store *d)
{
    if (!d)
        return;
    if (d->fd >= 0)
        close(d->fd);
    free(d->dir);
    free(d);
}

/* ---- names ---- */

/* Letters, digits, '_' and '.' stay, except a '.' at the beginning; the rest become '_'. */
static void tame(const char *from, char to[NAME_KEPT + 1])
{
    size_t n = 0;
    for (; from[n] && n < NAME_KEPT; n++) {
        const char c = from[n];
        const bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '_' || (c == '.' && n);
        to[n] = c;
        if (!good)
            to[n] = '_';
    }
    to[n] = '\0';
}

static void name_copy(const struct ixor_copy_of *of, char name[IXOR_COPY_NAME])
{
    char role[NAME_KEPT + 1], host[NAME_KEPT + 1], part[16] = "";
    tame(of->role, role);
    tame(of->host, host);
    if (of->part)
        snprintf(part, sizeof part, ".%" PRIu32, of->part);
    snprintf(name, IXOR_COPY_NAME, "%s-%" PRId64 "-%s-%" PRId64 "-v%" PRId64 ".ixl%s", role,
             of->pid, host, of->started_ns / 1000000000, of->vm, part);
}

/* A run's name comes from the catalogue, which accepts only valid file names; it is checked again
 * in case the catalogue was tampered with. */
static bool is_file_name(const char *name)
{
    return name[0] && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && !strchr(name, '/') &&
           strlen(name) < IXOR_COPY_NAME;
}

void ixor_log_store_path(const struct ixor_copy_of *of, char path[IXOR_COPY_PATH])
{
    char name[IXOR_COPY_NAME];
    struct ixor_copy_of whole = *of;
    whole.part = 0;
    name_copy(&whole, name);
    snprintf(path, IXOR_COPY_PATH, "runs/%.*s/%s", IXOR_COPY_NAME - 1, of->execution, name);
}

/* ---- directories ---- */

static int open_directory(int at, const char *name, bool make)
{
    if (make && mkdirat(at, name, 0777) != 0 && errno != EEXIST)
        return -1;
    return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* DIR/runs/EXECUTION; -1 with errno. */
static int open_run(const struct ixor_log_store *d, const char *execution, bool make)
{
    if (!is_file_name(execution)) {
        errno = EINVAL;
        return -1;
    }
    const int runs = open_directory(d->fd, "runs", make);
    const int run = runs >= 0 ? open_directory(runs, execution, make) : -1;
    const int why = errno;
    if (runs >= 0)
        close(runs);
    errno = why;
    return run;
}

int64_t ixor_log_store_size(const struct ixor_log_store *d, const struct ixor_copy_of *of)
{
    char name[IXOR_COPY_NAME];
    struct stat st;
    const int run = open_run(d, of->execution, false);
    if (run < 0)
        return -1;
    name_copy(of, name);
    const bool there = fstatat(run, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode);
    close(run);
    return there ? st.st_size : -1;
}

/* ---- writing ---- */

static void part_name(const struct ixor_copy *c, char name[IXOR_COPY_NAME + 8])
{
    snprintf(name, IXOR_COPY_NAME + 8, "%s.part", c->name);
}

static int open_part(struct ixor_copy *c, const struct ixor_log_store *d,
                     const struct ixor_copy_of *of, struct ix_error *err)
{
    char part[IXOR_COPY_NAME + 8];
    struct stat st;
    c->dir = open_run(d, of->execution, true);
    if (c->dir < 0)
        return ix_fail(err, "cannot open the directory '%s/runs/%s': %s", d->dir, of->execution,
                       strerror(errno));
    part_name(c, part);
    c->fd = openat(c->dir, part, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (c->fd < 0 || fstat(c->fd, &st) != 0)
        return ix_fail(err, "cannot make '%s/%s.part': %s", d->dir, c->path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return ix_fail(err, "'%s/%s.part' is not a regular file", d->dir, c->path);
    if (flock(c->fd, LOCK_EX | LOCK_NB) != 0)
        return ix_fail(err, "the log is being copied already ('%s.part' is locked)", c->path);
    c->size = (uint64_t)st.st_size;
    return 0;
}

int ixor_copy_open(struct ixor_copy *c, const struct ixor_log_store *d,
                   const struct ixor_copy_of *of, struct ix_error *err)
{
    *c = IXOR_NO_COPY;
    name_copy(of, c->name);
    snprintf(c->path, sizeof c->path, "runs/%.*s/%s", IXOR_COPY_NAME - 1, of->execution, c->name);
    if (open_part(c, d, of, err) == 0)
        return 0;
    ixor_copy_close(c, false); /* it may be another writer's */
    return -1;
}

int ixor_copy_room(const struct ixor_copy *c, uint64_t more, struct ix_error *err)
{
    struct statvfs fs;
    if (fstatvfs(c->fd, &fs) != 0)
        return ix_fail(err, "cannot tell how much room there is: %s", strerror(errno));
    const uint64_t room = (uint64_t)fs.f_bavail * fs.f_frsize;
    if (room >= IXOR_LOG_STORE_RESERVE && room - IXOR_LOG_STORE_RESERVE >= more)
        return 0;
    return ix_fail(err,
                   "the campaign's file system has %" PRIu64 " MiB left, of which %" PRIu64
                   " are kept free: no room for %" PRIu64 " bytes of a log",
                   room >> 20, IXOR_LOG_STORE_RESERVE >> 20, more);
}

int ixor_copy_restart(struct ixor_copy *c, struct ix_error *err)
{
    if (ftruncate(c->fd, 0) != 0)
        return ix_fail(err, "cannot empty '%s.part': %s", c->path, strerror(errno));
    c->size = 0;
    return 0;
}

int ixor_copy_write(struct ixor_copy *c, const void *data, size_t size, struct ix_error *err)
{
    const char *at = data;
    while (size) {
        const ssize_t n = pwrite(c->fd, at, size, (off_t)c->size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return ix_fail(err, "cannot write '%s.part': %s", c->path, strerror(errno));
        at += n;
        size -= (size_t)n;
        c->size += (uint64_t)n;
    }
    return 0;
}

int64_t ixor_copy_digest(const struct ixor_copy *c, uint64_t offset, size_t size,
                         struct ix_digest *digest, struct ix_error *err)
{
    char piece[65536];
    size_t done = 0;
    while (done < size) {
        const size_t want = size - done < sizeof piece ? size - done : sizeof piece;
        const ssize_t n = pread(c->fd, piece, want, (off_t)(offset + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return ix_fail(err, "cannot read '%s.part': %s", c->path, strerror(errno));
        if (n == 0)
            break;
        ix_digest_add(digest, piece, (size_t)n);
        done += (size_t)n;
    }
    return (int64_t)done;
}

int ixor_copy_finish(struct ixor_copy *c, struct ix_error *err)
{
    char part[IXOR_COPY_NAME + 8];
    part_name(c, part);
    if (renameat(c->dir, part, c->dir, c->name) != 0)
        return ix_fail(err, "cannot rename '%s.part': %s", c->path, strerror(errno));
    return 0;
}

void ixor_copy_close(struct ixor_copy *c, bool remove)
{
    char part[IXOR_COPY_NAME + 8];
    part_name(c, part);
    if (remove && c->dir >= 0 && c->fd >= 0)
        unlinkat(c->dir, part, 0);
    if (c->fd >= 0)
        close(c->fd);
    if (c->dir >= 0)
        close(c->dir);
    c->dir = c->fd = -1;
}

/* ---- what lies there already ---- */

int ixor_log_store_open_inside(const struct ixor_log_store *d, const char *path)
{
    const size_t len = strlen(d->dir);
    struct stat st;
    if (strncmp(path, d->dir, len) != 0 || path[len] != '/')
        return -1;
    struct open_how how = {
        .flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    const int fd = (int)syscall(SYS_openat2, d->fd, path + len + 1, &how, sizeof how);
    if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)))
        return fd;
    close(fd);
    return -1;
}
