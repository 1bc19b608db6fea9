/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for an instant as precisely as a thread can: sleeps until shortly before it, then spins. */
#ifndef IX_AGENT_AWAIT_H
#define IX_AGENT_AWAIT_H

#include <stdbool.h>
#include <stdint.h>

/* The thread wakes up this long before the target and then polls the clock. This covers the time
 * that waking up takes on an idle processor. */
#define IXA_AWAKE_NS 50000

/* Prepares the calling thread for precise wake-ups: timers exact to the nanosecond instead of 50 us
 * and, from Linux 6.12 on, a short time slice, so that it does not wait for another thread's slice
 * to end. Its share of the processors stays the same. Skips what the kernel does not allow. */
void ixa_await_prepare(void);

/* Work to do while the target is still far away. Called when fd is readable, for a few microseconds
 * at a time; returns false when it has nothing more to do during this wait. */
struct ixa_meanwhile {
    int fd;
    bool (*work)(void *user);
    void *user;
};

/* Returns true at target_ns of ixa_mono_ns, or false as soon as stop_fd is readable. Returns true
 * at once if target_ns is 0, in the past, or more than IX_TARGET_AHEAD_MAX_NS ahead. Call
 * ixa_await_prepare first. */
bool ixa_await(int stop_fd, uint64_t target_ns, const struct ixa_meanwhile *meanwhile);

#endif
