/* Whether a thread of this process has run, asked of the kernel without stopping the thread. Knows no
 * JVM. Linux: /proc/self/task/TID/schedstat and .../syscall. docs/stop.md says why this is exact.
 *
 * `count`: the kernel adds one each time it puts a thread onto a CPU, before the thread executes an
 * instruction there. `asleep`: the kernel answers with the thread's system call only after it has
 * seen the thread off every CPU and off every run queue (wait_task_inactive). So a thread that was
 * asleep at some time after its count was read, and whose count is still the same, has executed
 * nothing from then until now.
 *
 * The files stay open: a number that is used again for another thread cannot be mistaken. */
#ifndef IX_AGENT_SCHEDULE_H
#define IX_AGENT_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* One thread's files; -1 each while it is not watched. */
struct ixa_watch {
    int count_fd, asleep_fd;
};
#define IXA_WATCH_NONE ((struct ixa_watch){-1, -1})

struct ixa_schedule {
    int tasks;           /* /proc/self/task; -1: this kernel or container does not tell */
    uint32_t open, most; /* descriptors in use by watches, and how many there may be */
};

/* Uses at most a quarter of the process's limit of descriptors and at most 4,096. A system that
 * does not tell, or where /proc shows other numbers than this thread's own, is not an error: then
 * no thread can be watched. Release with ixa_schedule_free. */
void ixa_schedule_init(struct ixa_schedule *s);
void ixa_schedule_free(struct ixa_schedule *s);

/* Begins to watch a living thread of this process: two descriptors, numbered from FD_SETSIZE if the
 * limit allows. False if it cannot. */
bool ixa_watch_open(struct ixa_schedule *s, struct ixa_watch *w, pid_t tid);
void ixa_watch_close(struct ixa_schedule *s, struct ixa_watch *w);

/* How often the thread was put onto a CPU; 0: unknown (not watched, ended, or not counted here).
 * About 1 us. */
uint64_t ixa_watch_count(const struct ixa_watch *w);
/* True if the thread was off the CPU and not waiting for one at some moment during this call. About
 * 2 us; where the thread is on its way to sleep, up to a tick of the kernel (10 ms). */
bool ixa_watch_asleep(const struct ixa_watch *w);

#endif
