/* The two clocks of a packet, in nanoseconds. */
#ifndef IX_AGENT_CLOCK_H
#define IX_AGENT_CLOCK_H

#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

/* For tests: another host's clock, option testclock. All zero: none. */
struct ixa_clock_shift {
    _Atomic int64_t ahead_ns;  /* now, against CLOCK_MONOTONIC */
    _Atomic int64_t drift_ppb; /* how much faster it runs from origin_ns on, parts in 10^9 */
    _Atomic int64_t origin_ns; /* on CLOCK_MONOTONIC */
};
extern struct ixa_clock_shift ixa_clock_shift;
/* From now on ixa_mono_ns is so far ahead and so much faster. Only the first call counts: a clock
 * that has begun does not jump. */
void ixa_clock_set_shift(int64_t ahead_ns, int64_t drift_ppb);

static inline int64_t ixa_clock_ns(clockid_t clock)
{
    struct timespec t;
    if (clock_gettime(clock, &t) != 0)
        return 0;
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The monotonic clock that server and trace log see, and all of the agent's own waiting. */
static inline int64_t ixa_mono_ns(void)
{
    int64_t ns = ixa_clock_ns(CLOCK_MONOTONIC);
    int64_t origin = atomic_load_explicit(&ixa_clock_shift.origin_ns, memory_order_relaxed);
    if (!origin)
        return ns;
    int64_t drift = atomic_load_explicit(&ixa_clock_shift.drift_ppb, memory_order_relaxed);
    return ns + atomic_load_explicit(&ixa_clock_shift.ahead_ns, memory_order_relaxed) +
           (int64_t)((double)(ns - origin) * 1e-9 * (double)drift);
}

static inline int64_t ixa_real_ns(void)
{
    return ixa_clock_ns(CLOCK_REALTIME);
}

#endif
