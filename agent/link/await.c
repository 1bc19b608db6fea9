/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/link/await.h"

#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/base/clock.h"
#include "schema/protocol/datagram.h"

/* The smallest slice that the kernel accepts. */
#define SLICE_NS 100000

/* The argument of sched_setattr(2), first version; older C libraries do not declare it. */
struct scheduling {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

void ixa_await_prepare(void)
{
    struct scheduling s = {.size = sizeof s};
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    if (syscall(SYS_sched_getattr, 0, &s, sizeof s, 0) != 0 || s.policy != SCHED_OTHER)
        return;
    s.runtime = SLICE_NS; /* ignored for this policy before Linux 6.12 */
    syscall(SYS_sched_setattr, 0, &s, 0);
}

static int64_t left_until(uint64_t target_ns)
{
    return (int64_t)(target_ns - (uint64_t)ixa_mono_ns());
}

/* Lets the sibling hardware thread run for a moment. */
static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

bool ixa_await(int stop_fd, uint64_t target_ns, const struct ixa_meanwhile *meanwhile)
{
    struct pollfd fds[2] = {{.fd = stop_fd, .events = POLLIN},
                            {.fd = meanwhile->fd, .events = POLLIN}};
    int64_t left = left_until(target_ns);
    if (!target_ns || left > (int64_t)IX_TARGET_AHEAD_MAX_NS)
        return true;
    for (; left > IXA_AWAKE_NS; left = left_until(target_ns)) {
        int64_t sleep = left - IXA_AWAKE_NS;
        struct timespec timeout = {.tv_sec = sleep / 1000000000, .tv_nsec = sleep % 1000000000};
        if (ppoll(fds, 2, &timeout, NULL) <= 0)
            continue;
        if (fds[0].revents)
            return false;
        if (!meanwhile->work(meanwhile->user))
            fds[1].fd = -1;
    }
    while (left_until(target_ns) > 0)
        relax();
    return true;
}
