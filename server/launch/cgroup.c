/* SPDX-License-Identifier: Apache-2.0 */
#include "server/launch/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The period of the limit in us, the kernel's default: an idle processor is given back this often.
 */
#define PERIOD_US 100000u
/* While a group cannot be removed yet: how often that is tried, and how long between. */
#define TRIES 100
#define TRY_NS 10000000

/* ---- files of a group ---- */

/* Opens, writes, closes: one write, as these files want it. Async-signal-safe. */
static int put(const char *dir, const char *file, const char *text)
{
    char path[PATH_MAX];
    const size_t used = strlen(dir);
    if (used + strlen(file) + 2 > sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(path, dir, used);
    path[used] = '/';
    memcpy(path + used + 1, file, strlen(file) + 1);
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    const ssize_t n = write(fd, text, strlen(text));
    const int why = errno;
    close(fd);
    errno = why;
    return n == (ssize_t)strlen(text) ? 0 : -1;
}

int ixor_cgroup_make(const char *dir, unsigned percent, struct ix_error *err)
{
    char limit[64];
    if (mkdir(dir, 0755) != 0)
        return ix_fail(err, "cannot make the control group '%s': %s", dir, strerror(errno));
    snprintf(limit, sizeof limit, "%llu %u", (unsigned long long)PERIOD_US * percent / 100,
             PERIOD_US);
    if (put(dir, "cpu.max", limit) == 0)
        return 0;
    const int why = errno;
    rmdir(dir);
    return ix_fail(err, "cannot write '%s/cpu.max': %s", dir, strerror(why));
}

int ixor_cgroup_join(const char *dir)
{
    return put(dir, "cgroup.procs", "0");
}

int ixor_cgroup_remove(const char *dir)
{
    const struct timespec pause = {.tv_nsec = TRY_NS};
    for (int i = 0; i < TRIES; i++) {
        if (rmdir(dir) == 0 || errno == ENOENT)
            return 0;
        put(dir, "cgroup.kill", "1"); /* before Linux 5.14 it does not exist */
        nanosleep(&pause, NULL);
    }
    return -1;
}

/* ---- finding a place ---- */

/* Cuts an escape as in /proc/self/mountinfo: \040 is a blank. */
static void unescape(char *text)
{
    char *to = text;
    for (const char *at = text; *at; at++) {
        if (at[0] == '\\' && strspn(at + 1, "01234567") >= 3) {
            *to++ = (char)((at[1] - '0') * 64 + (at[2] - '0') * 8 + (at[3] - '0'));
            at += 3;
        } else {
            *to++ = *at;
        }
    }
    *to = '\0';
}

/* Where the cgroup2 file system is mounted. False: nowhere. */
static bool mount_point(const char *mountinfo, char place[PATH_MAX])
{
    for (const char *line = mountinfo; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        char text[2 * PATH_MAX];
        snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
        if (!strstr(text, " - cgroup2 "))
            continue;
        if (sscanf(text, "%*s %*s %*s %*s %4095s", place) == 1) {
            unescape(place);
            return true;
        }
    }
    return false;
}

/* This process's group, as in "0::/user.slice". */
static bool own_group(const char *own, char path[PATH_MAX])
{
    const char *line = strncmp(own, "0::", 3) == 0 ? own : strstr(own, "\n0::");
    if (!line)
        return false;
    line += *line == '\n';
    const size_t len = strcspn(line + 3, "\n");
    if (len >= PATH_MAX)
        return false;
    memcpy(path, line + 3, len);
    path[len] = '\0';
    return true;
}

/* Whether a process can be moved into the group; a child tries, and ends. */
static bool can_join(const char *dir)
{
    int status = -1;
    const pid_t pid = fork();
    if (pid == 0)
        _exit(ixor_cgroup_join(dir) == 0 ? 0 : 1);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return pid > 0 && status == 0;
}

static bool works(const char *dir, unsigned percent)
{
    if (ixor_cgroup_make(dir, percent, NULL) != 0)
        return false;
    const bool good = can_join(dir);
    return ixor_cgroup_remove(dir) == 0 && good;
}

char *ixor_cgroup_find_in(const char *mountinfo, const char *own, unsigned percent,
                          struct ix_error *err)
{
    char place[PATH_MAX], group[PATH_MAX];
    if (!mount_point(mountinfo, place) || !own_group(own, group)) {
        ix_fail(err, "this machine has no cgroup v2, which limits the processor; use hogs=N or "
                     "pause, which need none");
        return NULL;
    }
    for (char *end = group + strlen(group);; end = strrchr(group, '/')) {
        if (!end)
            break;
        *end = '\0';
        char *dir;
        if (asprintf(&dir, "%s%s/ixor-%d", place, group, (int)getpid()) < 0) {
            ix_fail(err, "out of memory");
            return NULL;
        }
        if (works(dir, percent))
            return dir;
        free(dir);
    }
    ix_fail(err,
            "no control group with the controller 'cpu' can be made under '%s'; start ixor by "
            "'systemd-run --user --scope -p Delegate=yes ixor run ...' or as root, or use hogs=N "
            "or pause, which need none",
            place);
    return NULL;
}

/* The text of a file in /proc; the caller frees it. */
static char *read_text(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = fopen(path, "re");
    if (f && getdelim(&text, &size, '\0', f) < 0) {
        free(text);
        text = NULL;
    }
    if (f)
        fclose(f);
    return text;
}

char *ixor_cgroup_find(unsigned percent, struct ix_error *err)
{
    char *mounts = read_text("/proc/self/mountinfo"), *own = read_text("/proc/self/cgroup");
    char *dir = ixor_cgroup_find_in(mounts ? mounts : "", own ? own : "", percent, err);
    free(mounts);
    free(own);
    return dir;
}
