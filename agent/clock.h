/* The two clocks of a packet, in nanoseconds. */
#ifndef IX_AGENT_CLOCK_H
#define IX_AGENT_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t ixa_clock_ns(clockid_t clock)
{
    struct timespec t;
    if (clock_gettime(clock, &t) != 0)
        return 0;
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline int64_t ixa_mono_ns(void)
{
    return ixa_clock_ns(CLOCK_MONOTONIC);
}

static inline int64_t ixa_real_ns(void)
{
    return ixa_clock_ns(CLOCK_REALTIME);
}

#endif
