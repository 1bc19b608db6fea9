/* SPDX-License-Identifier: Apache-2.0 */
/* For LD_PRELOAD: a disk that fails. Of the calls that program FAULT_PROGRAM makes about files in
 * directory FAULT_DIR, number FAULT_AT fails, from 1 (0: none), and all later ones if FAULT_ON is
 * set. FAULT_KIND  EIO; ENOSPC (a write takes a part first); short (a write takes a part, once)
 *   FAULT_LOG   a file for two kinds of lines: "failed N CALL PATH", and at the end "calls N"
 * What the C library does inside itself, such as fopen's open, is not seen; fflush and fclose are.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define TRUE_CALL(name) ((__typeof__(&(name)))true_call(#name))

static const char *dir; /* NULL: not this program */
static size_t dir_len;
static unsigned long at;
static bool on, is_short;
static int code;
static atomic_ulong calls;
static pid_t self;

static void *true_call(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

static void note(const char *line)
{
    const char *path = getenv("FAULT_LOG");
    const int fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path,
                                       O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666)
                        : -1;
    if (fd >= 0 && syscall(SYS_write, fd, line, strlen(line)) >= 0)
        syscall(SYS_close, fd);
}

__attribute__((constructor)) static void begin(void)
{
    const char *program = getenv("FAULT_PROGRAM"), *number = getenv("FAULT_AT");
    const char *kind = getenv("FAULT_KIND");
    if (!program || strcmp(program, program_invocation_short_name) != 0)
        return;
    at = number ? strtoul(number, NULL, 10) : 0;
    on = getenv("FAULT_ON") != NULL;
    is_short = kind && strcmp(kind, "short") == 0;
    code = kind && strcmp(kind, "EIO") == 0 ? EIO : ENOSPC;
    self = getpid();
    dir = getenv("FAULT_DIR");
    dir_len = dir ? strlen(dir) : 0;
}

__attribute__((destructor)) static void end(void)
{
    char line[64];
    snprintf(line, sizeof line, "calls %lu\n", (unsigned long)calls);
    if (dir && getpid() == self)
        note(line);
}

/* Whether this call is to fail. */
static bool fails(const char *call, const char *path)
{
    char line[PATH_MAX + 64];
    const int before = errno;
    if (!dir || getpid() != self || strncmp(path, dir, dir_len) != 0 ||
        (path[dir_len] && path[dir_len] != '/'))
        return false;
    const unsigned long n = ++calls;
    if (!at || !(on ? n >= at : n == at))
        return false;
    snprintf(line, sizeof line, "failed %lu %s %s\n", n, call, path);
    note(line);
    errno = before;
    return true;
}

static bool fd_fails(const char *call, int fd)
{
    char link[64], path[PATH_MAX];
    if (!dir)
        return false;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t n = readlink(link, path, sizeof path - 1);
    if (n <= 0)
        return false;
    path[n] = '\0';
    return fails(call, path);
}

static int failed(void)
{
    errno = code;
    return -1;
}

/* How much of a write is done all the same. */
static ssize_t part(size_t size)
{
    return (is_short || code == ENOSPC) && size > 1 ? (ssize_t)(size / 2) : 0;
}

EXPORT ssize_t write(int fd, const void *data, size_t size)
{
    if (!fd_fails("write", fd))
        return TRUE_CALL(write)(fd, data, size);
    const ssize_t some = part(size);
    return some ? TRUE_CALL(write)(fd, data, (size_t)some) : failed();
}

static ssize_t write_at(int fd, const void *data, size_t size, off_t offset)
{
    if (!fd_fails("pwrite", fd))
        return TRUE_CALL(pwrite)(fd, data, size, offset);
    const ssize_t some = part(size);
    return some ? TRUE_CALL(pwrite)(fd, data, (size_t)some, offset) : failed();
}

EXPORT ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
    return write_at(fd, data, size, offset);
}

EXPORT ssize_t pwrite64(int fd, const void *data, size_t size, off_t offset)
{
    return write_at(fd, data, size, offset);
}

/* All others fail, or do not; a short one is one that fails. The arguments bring their parentheses.
 */
/* NOLINTBEGIN(bugprone-macro-parentheses) */
#define OF_FD(type, name, fd, parameters, arguments)                                               \
    EXPORT type name parameters                                                                    \
    {                                                                                              \
        return fd_fails(#name, fd) ? failed() : TRUE_CALL(name) arguments;                         \
    }
#define OF_PATH(type, name, path, parameters, arguments)                                           \
    EXPORT type name parameters                                                                    \
    {                                                                                              \
        return fails(#name, path) ? failed() : TRUE_CALL(name) arguments;                          \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

OF_FD(int, fsync, fd, (int fd), (fd))
OF_FD(int, fdatasync, fd, (int fd), (fd))
OF_FD(int, ftruncate, fd, (int fd, off_t size), (fd, size))
OF_FD(int, ftruncate64, fd, (int fd, off_t size), (fd, size))
OF_PATH(int, rename, to, (const char *from, const char *to), (from, to))
OF_PATH(int, unlink, path, (const char *path), (path))
OF_PATH(int, mkdir, path, (const char *path, mode_t mode), (path, mode))
OF_PATH(int, linkat, to, (int from_fd, const char *from, int to_fd, const char *to, int flags),
        (from_fd, from, to_fd, to, flags))
OF_PATH(int, mkostemp, path, (char *path, int flags), (path, flags))

/* What was written into the stream before is lost with it. */
EXPORT int fflush(FILE *f)
{
    return f && fd_fails("fflush", fileno(f)) ? failed() : TRUE_CALL(fflush)(f);
}

EXPORT int fclose(FILE *f)
{
    const bool bad = fd_fails("fclose", fileno(f));
    const int result = TRUE_CALL(fclose)(f);
    return bad ? failed() : result;
}

static int open_file(const char *path, int flags, mode_t mode)
{
    return fails("open", path) ? failed() : TRUE_CALL(open)(path, flags, mode);
}

#define OPEN(name)                                                                                 \
    EXPORT int name(const char *path, int flags, ...)                                              \
    {                                                                                              \
        va_list args;                                                                              \
        va_start(args, flags);                                                                     \
        const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;              \
        va_end(args);                                                                              \
        return open_file(path, flags, mode);                                                       \
    }
OPEN(open)
OPEN(open64)
