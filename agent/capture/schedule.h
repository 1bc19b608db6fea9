/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the kernel whether a thread of this process has run, without stopping the thread.
 * Independent of the JVM. Linux: /proc/self/task/TID/schedstat and .../syscall. docs/stop.md shows
 * why this is exact.
 *
 * `count`: the kernel adds one each time it puts a thread onto a CPU, before the thread executes an
 * instruction there. `asleep`: the kernel reports the thread's system call only after it has seen
 * the thread off every CPU and off every run queue (wait_task_inactive). So if a thread was asleep
 * at some time after its count was read, and its count is still the same, it has executed nothing
 * from then until now.
 *
 * The files stay open, so a reused thread id cannot be mistaken for the old thread. */
#ifndef IX_AGENT_SCHEDULE_H
#define IX_AGENT_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* One thread's files; both -1 while it is not watched. */
struct ixa_watch {
    int count_fd, asleep_fd;
};
#define IXA_WATCH_NONE ((struct ixa_watch){-1, -1})

struct ixa_schedule {
    int tasks;           /* /proc/self/task; -1: not available in this kernel or container */
    uint32_t open, most; /* descriptors in use by watches, and their limit */
};

/* Who watches threads, and so needs descriptors: 1/8 of the process's limit for the walk, 1/32 for
 * each of the four facts that do (locks' owners, parks, connections, turns); together a quarter. */
enum ixa_share { IXA_SHARE_WALK = 8, IXA_SHARE_FACT = 32 };

/* Uses at most that share of the process's descriptor limit and at most 4,096 descriptors. It is
 * not an error if the kernel does not provide the files, or if /proc shows other thread ids than
 * this thread's own: then no thread can be watched. Release with ixa_schedule_free. */
void ixa_schedule_init(struct ixa_schedule *s, enum ixa_share share);
void ixa_schedule_free(struct ixa_schedule *s);

/* Starts watching a live thread of this process. Takes two descriptors, numbered from FD_SETSIZE up
 * if the limit allows. False if it cannot. */
bool ixa_watch_open(struct ixa_schedule *s, struct ixa_watch *w, pid_t tid);
void ixa_watch_close(struct ixa_schedule *s, struct ixa_watch *w);

/* Descriptors of all threads that are watched in this process. Any thread. */
uint32_t ixa_watch_descriptors(void);

/* The file alone that says how often a live thread of this process was scheduled; -1: it cannot be
 * had. It counts among the descriptors of `s`, and is closed by ixa_schedule_close. */
int ixa_schedule_open(struct ixa_schedule *s, pid_t tid);
void ixa_schedule_close(struct ixa_schedule *s, int fd);
/* How often; 0: unknown, or the thread has ended. About 1 us. */
uint64_t ixa_schedule_count(int fd);

/* How often the thread was scheduled; 0: unknown (not watched, ended, or not counted here). About 1
 * us. */
uint64_t ixa_watch_count(const struct ixa_watch *w);
/* True if at some moment during this call the thread was off the CPU and not waiting for one. About
 * 2 us; up to a kernel tick (10 ms) if the thread is just going to sleep. */
bool ixa_watch_asleep(const struct ixa_watch *w);
/* The same, with the text in which the kernel says in which system call: 256 bytes hold it. */
bool ixa_watch_call(const struct ixa_watch *w, char *text, size_t size);

#endif
