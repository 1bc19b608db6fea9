/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/protocol/keyplace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/base/units.h"

/* Another starting server removes a key without a lock; then it is written again. */
enum { PLACES = 2, LOCK_TRIES = 10 };

/* The directory of a place; false if there is none. */
static bool directory(int place, char path[PATH_MAX])
{
    if (place == 1)
        return snprintf(path, PATH_MAX, "/tmp/ixor-%lu", (unsigned long)geteuid()) > 0;
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    return runtime && *runtime == '/' && snprintf(path, PATH_MAX, "%s/ixor", runtime) < PATH_MAX;
}

/* Once checked to be ours, no other user can replace it: /tmp is sticky. */
static int check(const char *path, struct ix_error *err)
{
    struct stat info;
    if (lstat(path, &info) != 0)
        return ix_fail(err, "'%s': %s", path, strerror(errno));
    if (!S_ISDIR(info.st_mode) || info.st_uid != geteuid() || (info.st_mode & (S_IRWXG | S_IRWXO)))
        return ix_fail(err, "'%s' is not a directory that is yours alone (mode 0700)", path);
    return 0;
}

static bool file_in(const char *directory, uint16_t port, char path[PATH_MAX])
{
    return snprintf(path, PATH_MAX, "%s/%u", directory, port) < PATH_MAX;
}

/* Locks on the keys that this process wrote; 0: none. They end with the process, however it
 * ends. */
static int locks[PLACES];

/* Whether a program listens on the port that a key is named after: perhaps a server of a version
 * that took no lock. */
static bool in_use(const char *name)
{
    uint64_t port;
    if (!ix_parse_number(name, strlen(name), &port) || port > UINT16_MAX)
        return false;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool used = fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof address) != 0 &&
                      errno == EADDRINUSE;
    if (fd >= 0)
        close(fd);
    return used;
}

/* Removes keys whose server has ended: no process holds a lock on them. */
static void sweep(const char *directory)
{
    DIR *keys = opendir(directory);
    for (struct dirent *e; keys && (e = readdir(keys));) {
        struct stat info;
        if (strspn(e->d_name, "0123456789") != strlen(e->d_name))
            continue;
        const int fd = openat(dirfd(keys), e->d_name,
                              O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
            flock(fd, LOCK_EX | LOCK_NB) == 0 && !in_use(e->d_name))
            unlinkat(dirfd(keys), e->d_name, 0);
        if (fd >= 0)
            close(fd);
    }
    if (keys)
        closedir(keys);
}

/* A descriptor with a lock on the file at this path; -1: it is gone, or another server is removing
 * it.
 */
static int lock_key(const char *path)
{
    struct stat is, there;
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) == 0 && fstat(fd, &is) == 0 &&
        stat(path, &there) == 0 && is.st_dev == there.st_dev && is.st_ino == there.st_ino)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static int put_in(int place, const char *path, const struct ix_key *agent, struct ix_error *err)
{
    if (locks[place])
        close(locks[place]);
    locks[place] = 0;
    for (int tries = 0; tries < LOCK_TRIES; tries++) {
        if (ix_key_write(IX_KEY_AGENT, path, agent, err) != 0)
            return -1;
        const int fd = lock_key(path);
        if (fd > 0) {
            locks[place] = fd;
            return 0;
        }
    }
    return 0; /* no locks here: the key works, if not permanently */
}

int ix_keyplace_put(uint16_t port, const struct ix_key *agent, struct ix_error *err)
{
    int status = -1;
    for (int i = 0; i < PLACES; i++) {
        char dir[PATH_MAX], path[PATH_MAX];
        if (!directory(i, dir) || !file_in(dir, port, path))
            continue;
        mkdir(dir, 0700); /* `check` finds out whether it exists now */
        if (check(dir, err) != 0)
            continue;
        sweep(dir);
        if (put_in(i, path, agent, err) == 0)
            status = 0;
    }
    return status;
}

static bool find_in(int place, uint16_t port, struct ix_key *agent, char path[PATH_MAX])
{
    char dir[PATH_MAX];
    return directory(place, dir) && file_in(dir, port, path) && check(dir, NULL) == 0 &&
           ix_key_read(IX_KEY_AGENT, path, agent, NULL) == 0;
}

void ix_keyplace_remove(uint16_t port, const struct ix_key *agent)
{
    for (int i = 0; i < PLACES; i++) {
        char path[PATH_MAX];
        struct ix_key there;
        if (find_in(i, port, &there, path) && memcmp(&there, agent, sizeof there) == 0)
            unlink(path);
        if (locks[i])
            close(locks[i]);
        locks[i] = 0;
    }
}

bool ix_keyplace_find(uint16_t port, struct ix_key *agent)
{
    char path[PATH_MAX];
    for (int i = 0; i < PLACES; i++) {
        if (find_in(i, port, agent, path))
            return true;
    }
    return false;
}
