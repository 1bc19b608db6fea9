/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/base/clock.h"
#include "agent/capture/schedule.h"
#include "schema/base/descriptor.h"

#define DESCRIPTORS "/proc/self/fd"
#define COUNT_SHARE 1000 /* counting may take 1 part in this many of the time */
#define SIZE_TRIES 3     /* other threads open and close files meanwhile */
/* A thread in accept() has reserved a descriptor, which the size counts and the list does not show.
 */
#define MOST_RESERVED 256

void ixa_collections_start(struct ixa_collections *c, int64_t now_ns)
{
    atomic_store_explicit(&c->begun_ns, now_ns, memory_order_relaxed);
}

void ixa_collections_finish(struct ixa_collections *c, int64_t now_ns)
{
    const int64_t begun = atomic_exchange_explicit(&c->begun_ns, 0, memory_order_relaxed);
    if (!begun)
        return;
    if (now_ns > begun)
        atomic_fetch_add_explicit(&c->ns, (uint64_t)(now_ns - begun), memory_order_relaxed);
    atomic_fetch_add_explicit(&c->count, 1, memory_order_relaxed);
}

uint64_t ixa_process_resident(const char *statm)
{
    char *end;
    if (*statm < '0' || *statm > '9')
        return 0;
    strtoull(statm, &end, 10);
    if (end[0] != ' ' || end[1] < '0' || end[1] > '9')
        return 0;
    return strtoull(end + 1, NULL, 10);
}

int64_t ixa_process_entries(const char *path)
{
    DIR *dir = opendir(path);
    if (!dir)
        return -1;
    int64_t count = 0;
    struct stat listed, descriptors;
    const bool own_list = fstat(dirfd(dir), &listed) == 0 && stat(DESCRIPTORS, &descriptors) == 0 &&
                          listed.st_ino == descriptors.st_ino &&
                          listed.st_dev == descriptors.st_dev;
    for (const struct dirent *entry; (entry = readdir(dir));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return count - own_list;
}

static int64_t size_of_list(void)
{
    struct stat list;
    return stat(DESCRIPTORS, &list) == 0 ? (int64_t)list.st_size : -1;
}

void ixa_process_open(struct ixa_process *p)
{
    *p = IXA_PROCESS_NONE;
    p->statm_fd = ix_above_streams(open("/proc/self/statm", O_RDONLY | O_CLOEXEC));
    for (int i = 0; i < SIZE_TRIES && !p->sized; i++) {
        const int64_t size = size_of_list(), listed = ixa_process_entries(DESCRIPTORS);
        p->sized = listed > 0 && size >= listed && size - listed <= MOST_RESERVED;
    }
}

void ixa_process_close(struct ixa_process *p)
{
    if (p->statm_fd >= 0)
        close(p->statm_fd);
    *p = IXA_PROCESS_NONE;
}

static uint64_t resident_bytes(const struct ixa_process *p)
{
    char text[128];
    const ssize_t len = p->statm_fd >= 0 ? pread(p->statm_fd, text, sizeof text - 1, 0) : -1;
    text[len > 0 ? len : 0] = 0;
    return ixa_process_resident(text) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t open_descriptors(struct ixa_process *p, int64_t now_ns)
{
    if (p->sized) {
        const int64_t size = size_of_list();
        return size > 0 ? (uint64_t)size : 0;
    }
    if (now_ns < p->next_ns)
        return p->descriptors;
    const int64_t begun = ixa_mono_ns(), count = ixa_process_entries(DESCRIPTORS);
    p->descriptors = count > 0 ? (uint64_t)count : 0;
    p->next_ns = now_ns + (ixa_mono_ns() - begun) * COUNT_SHARE;
    return p->descriptors;
}

/* Some for each watched thread are the agent's: a leak of threads is not one of files. */
static uint64_t of_application(uint64_t descriptors)
{
    const uint64_t own = ixa_watch_descriptors();
    return descriptors > own ? descriptors - own : 0;
}

void ixa_process_read(struct ixa_process *p, const struct ixa_collections *collections,
                      int64_t now_ns, struct ix_process *out)
{
    *out = (struct ix_process){
        .cpu_ns = (uint64_t)ix_clock_ns(CLOCK_PROCESS_CPUTIME_ID),
        .rss_bytes = resident_bytes(p),
        .descriptors = of_application(open_descriptors(p, now_ns)),
        .gc_count = atomic_load_explicit(&collections->count, memory_order_relaxed),
        .gc_ns = atomic_load_explicit(&collections->ns, memory_order_relaxed),
    };
}
