/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/base/instant.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent/base/clock.h"
#include "schema/protocol/datagram.h"

/* The smallest slice that the kernel accepts. */
#define SLICE_NS 100000
/* Time for others on the same processor to prepare. */
#define SLACK_NS 200000
/* Longer than from ixa_instant_wakes_at to the target: nobody has waited until then. */
#define REACH_MAX_NS 5000000

/* Estimates: at first, and at most. What takes longer does so because others have the processor. */
#define WAKE_FIRST_NS 50000
#define WAKE_MAX_NS 300000
#define PREPARE_MAX_NS 2000000

/* The argument of sched_setattr(2), first version; older C libraries do not declare it. */
struct scheduling {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

void ixa_instant_thread(void)
{
    struct scheduling s = {.size = sizeof s};
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    if (syscall(SYS_sched_getattr, 0, &s, sizeof s, 0) != 0 || s.policy != SCHED_OTHER)
        return;
    s.runtime = SLICE_NS; /* ignored for this policy before Linux 6.12 */
    syscall(SYS_sched_setattr, 0, &s, 0);
}

void ixa_instant_init(struct ixa_instant *i)
{
    *i = (struct ixa_instant){.wake_ns = WAKE_FIRST_NS};
}

void ixa_instant_name(struct ixa_instant *i, uint64_t target_ns)
{
    const int64_t left = (int64_t)(target_ns - (uint64_t)ixa_mono_ns());
    const bool ahead = target_ns && left > 0 && left <= (int64_t)IX_TARGET_AHEAD_MAX_NS;
    i->target_ns = ahead ? (int64_t)target_ns : 0;
    i->begun_ns = 0;
}

int64_t ixa_instant_wakes_at(const struct ixa_instant *i)
{
    return i->target_ns ? i->target_ns - i->prepare_ns - 2 * i->wake_ns - SLACK_NS : 0;
}

/* Moves an estimate so that three observations of four are below it: three steps up, one down. */
static void learn(int64_t *estimate, int64_t seen, int64_t most)
{
    const int64_t step = 2000 + *estimate / 32;
    *estimate += seen > *estimate ? 3 * step : -step;
    if (*estimate < 0)
        *estimate = 0;
    if (*estimate > most)
        *estimate = most;
}

void ixa_instant_woke(struct ixa_instant *i, int64_t timer_ns)
{
    learn(&i->wake_ns, ixa_mono_ns() - timer_ns, WAKE_MAX_NS);
}

void ixa_instant_begin(struct ixa_instant *i)
{
    i->begun_ns = ixa_mono_ns();
}

uint64_t ixa_instant_prepared(const struct ixa_instant *i, uint64_t begun_ns)
{
    return begun_ns + (uint64_t)i->prepare_ns;
}

/* Lets the sibling hardware thread run for a moment. */
static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void sleep_until(struct ixa_instant *i, int64_t timer_ns)
{
    const int64_t ns = timer_ns - ixa_mono_ns();
    if (ns <= 0)
        return;
    const struct timespec pause = {.tv_nsec = ns};
    if (clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL) == 0)
        ixa_instant_woke(i, timer_ns);
}

void ixa_instant_reach(struct ixa_instant *i)
{
    const int64_t target = i->target_ns, now = ixa_mono_ns();
    if (i->begun_ns)
        learn(&i->prepare_ns, now - i->begun_ns, PREPARE_MAX_NS);
    i->target_ns = i->begun_ns = 0;
    if (target <= now || target - now > REACH_MAX_NS)
        return;
    sleep_until(i, target - i->wake_ns);
    while (ixa_mono_ns() < target)
        relax();
}
