/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/catalogue/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* -1 with errno, or with ENOMEM if there is no memory for the path. */
static int open_lock(const char *dir, int flags)
{
    char *path;
    if (asprintf(&path, "%s/server.lock", dir) < 0) {
        errno = ENOMEM;
        return -1;
    }
    const int fd = open(path, flags | O_CLOEXEC, 0666);
    const int why = errno;
    free(path);
    errno = why;
    return fd;
}

static int take(int fd, int operation, const char *dir, struct ix_error *err)
{
    if (flock(fd, operation | LOCK_NB) == 0)
        return 0;
    if (errno != EWOULDBLOCK)
        return ix_fail(err, "cannot lock '%s/server.lock': %s", dir, strerror(errno));
    char holder[24] = "";
    const ssize_t n = pread(fd, holder, sizeof holder - 1, 0);
    holder[n > 0 ? strcspn(holder, "\n") : 0] = '\0';
    const bool write = operation == LOCK_EX;
    return ix_fail(err, "%s ixor (process %s) is writing '%s'; wait for it%s",
                   write ? "another" : "an", holder[0] ? holder : "unknown", dir,
                   write ? ", or choose another directory" : "");
}

int ix_lock_to_write(const char *dir, int *fd, struct ix_error *err)
{
    *fd = open_lock(dir, O_RDWR | O_CREAT);
    if (*fd < 0)
        return ix_fail(err, "cannot open '%s/server.lock': %s", dir, strerror(errno));
    if (take(*fd, LOCK_EX, dir, err) != 0) {
        close(*fd);
        *fd = -1;
        return -1;
    }
    if (ftruncate(*fd, 0) == 0)
        dprintf(*fd, "%ld\n", (long)getpid());
    return 0;
}

int ix_lock_to_read(const char *dir, int *fd, struct ix_error *err)
{
    /* Without O_NONBLOCK a FIFO in a crafted campaign would block forever. */
    *fd = open_lock(dir, O_RDONLY | O_NONBLOCK);
    if (*fd < 0 && errno == ENOENT)
        return 0;
    if (*fd < 0)
        return ix_fail(err, "cannot open '%s/server.lock': %s", dir, strerror(errno));
    if (take(*fd, LOCK_SH, dir, err) == 0)
        return 0;
    close(*fd);
    *fd = -1;
    return -1;
}

bool ix_lock_is_held(const char *dir)
{
    const int fd = open_lock(dir, O_RDONLY | O_NONBLOCK);
    if (fd < 0)
        return false;
    const bool held = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(fd);
    return held;
}
