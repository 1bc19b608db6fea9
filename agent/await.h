/* Waits for an instant as precisely as a thread can: asleep until shortly before it, then awake. */
#ifndef IX_AGENT_AWAIT_H
#define IX_AGENT_AWAIT_H

#include <stdbool.h>
#include <stdint.h>

/* So long before the target the thread is woken, and looks at the clock from then on: what waking
 * up takes on an idle processor. */
#define IXA_AWAKE_NS 50000

/* Makes the calling thread one that is woken in time: timers exact to the nanosecond instead of 50
 * us, and from Linux 6.12 on a short time slice, with which it need not wait for the end of another
 * thread's. Its share of the processors stays the same. What the kernel does not allow is left. */
void ixa_await_prepare(void);

/* What can be done while the target is far enough: called when fd is readable, a few microseconds at
 * a time; false: it has nothing more to do during this wait. */
struct ixa_meanwhile {
    int fd;
    bool (*work)(void *user);
    void *user;
};

/* Returns at target_ns of ixa_mono_ns: true; false as soon as stop_fd is readable. 0, a passed
 * target, and one that is more than IX_TARGET_AHEAD_MAX_NS ahead mean "at once". The caller has
 * called ixa_await_prepare. */
bool ixa_await(int stop_fd, uint64_t target_ns, const struct ixa_meanwhile *meanwhile);

#endif
