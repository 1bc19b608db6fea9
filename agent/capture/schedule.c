/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/capture/schedule.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <unistd.h>

#include "schema/base/descriptor.h"

#define MOST 4096
#define PER_WATCH 2
/* Old libraries put descriptors into an fd_set, which ends here: leave the low numbers to them. */
#define FROM FD_SETSIZE

/* "NSpid:" lists this thread's id in the namespace of /proc and in each one nested in it. If there
 * is more than one, /proc belongs to an outer namespace, which has other ids for our threads. */
static bool one_namespace(void)
{
    char line[256];
    bool one = true; /* a kernel without the line has no namespaces */
    FILE *status = fopen("/proc/thread-self/status", "re");
    if (!status)
        return false;
    while (fgets(line, sizeof line, status)) {
        if (strncmp(line, "NSpid:", 6) != 0)
            continue;
        char *end;
        strtoul(line + 6, &end, 10);
        one = *end == '\n';
        break;
    }
    fclose(status);
    return one;
}

/* In a container whose /proc belongs to another PID namespace, ids refer to other threads. */
static bool proc_is_ours(void)
{
    char link[64], want[64];
    ssize_t len = readlink("/proc/thread-self", link, sizeof link - 1);
    if (len <= 0)
        return false;
    link[len] = 0;
    snprintf(want, sizeof want, "%d/task/%d", (int)getpid(), (int)gettid());
    return strcmp(link, want) == 0 && one_namespace();
}

void ixa_schedule_init(struct ixa_schedule *s, enum ixa_share share)
{
    struct rlimit limit;
    *s = (struct ixa_schedule){.tasks = -1};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || !proc_is_ours())
        return;
    s->most = limit.rlim_cur / share < MOST ? (uint32_t)(limit.rlim_cur / share) : MOST;
    s->tasks = ix_above_streams(open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

void ixa_schedule_free(struct ixa_schedule *s)
{
    if (s->tasks >= 0)
        close(s->tasks);
    s->tasks = -1;
}

static int open_file(const struct ixa_schedule *s, pid_t tid, const char *name)
{
    char path[48];
    snprintf(path, sizeof path, "%d/%s", (int)tid, name);
    const int fd = openat(s->tasks, path, O_RDONLY | O_CLOEXEC);
    const int high = fd >= 0 && fd < FROM ? fcntl(fd, F_DUPFD_CLOEXEC, FROM) : -1;
    if (high < 0)
        return fd; /* high enough already, or the limit is too low */
    close(fd);
    return high;
}

static _Atomic uint32_t descriptors;

uint32_t ixa_watch_descriptors(void)
{
    return atomic_load(&descriptors);
}

static void take(struct ixa_schedule *s, uint32_t count)
{
    s->open += count;
    atomic_fetch_add(&descriptors, count);
}

static void give_back(struct ixa_schedule *s, uint32_t count)
{
    s->open -= count;
    atomic_fetch_sub(&descriptors, count);
}

int ixa_schedule_open(struct ixa_schedule *s, pid_t tid)
{
    const int fd =
        s->tasks < 0 || tid <= 0 || s->open >= s->most ? -1 : open_file(s, tid, "schedstat");
    if (fd >= 0)
        take(s, 1);
    return fd;
}

void ixa_schedule_close(struct ixa_schedule *s, int fd)
{
    close(fd);
    give_back(s, 1);
}

bool ixa_watch_open(struct ixa_schedule *s, struct ixa_watch *w, pid_t tid)
{
    *w = IXA_WATCH_NONE;
    if (s->tasks < 0 || tid <= 0 || s->open + PER_WATCH > s->most)
        return false;
    w->count_fd = open_file(s, tid, "schedstat");
    if (w->count_fd < 0)
        return false;
    w->asleep_fd = open_file(s, tid, "syscall");
    take(s, PER_WATCH);
    if (w->asleep_fd >= 0)
        return true;
    ixa_watch_close(s, w);
    return false;
}

void ixa_watch_close(struct ixa_schedule *s, struct ixa_watch *w)
{
    if (w->count_fd < 0)
        return;
    close(w->count_fd);
    if (w->asleep_fd >= 0)
        close(w->asleep_fd);
    give_back(s, PER_WATCH);
    *w = IXA_WATCH_NONE;
}

/* Reads the file's text, terminated. False if there is none. */
static bool read_text(int fd, char *text, size_t size)
{
    ssize_t len = fd >= 0 ? pread(fd, text, size - 1, 0) : -1;
    text[len > 0 ? len : 0] = 0;
    return len > 0;
}

uint64_t ixa_schedule_count(int fd)
{
    char text[96]; /* "TIME-ON-CPU TIME-WAITED COUNT\n" */
    if (!read_text(fd, text, sizeof text))
        return 0;
    const char *last = strrchr(text, ' ');
    return last ? strtoull(last, NULL, 10) : 0;
}

uint64_t ixa_watch_count(const struct ixa_watch *w)
{
    return ixa_schedule_count(w->count_fd);
}

bool ixa_watch_call(const struct ixa_watch *w, char *text, size_t size)
{
    /* "running\n", or numbers: the call, -1 for none, and its arguments */
    return read_text(w->asleep_fd, text, size) &&
           ((text[0] >= '0' && text[0] <= '9') || text[0] == '-');
}

bool ixa_watch_asleep(const struct ixa_watch *w)
{
    char text[256];
    return ixa_watch_call(w, text, sizeof text);
}
