/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks in nanoseconds. */
#ifndef IX_SCHEMA_CLOCK_H
#define IX_SCHEMA_CLOCK_H

#include <stdint.h>
#include <time.h>

/* 0 if there is no such clock. */
static inline int64_t ix_clock_ns(clockid_t clock)
{
    struct timespec t;
    if (clock_gettime(clock, &t) != 0)
        return 0;
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Since some moment before this process started; never goes backwards. */
static inline int64_t ix_mono_ns(void)
{
    return ix_clock_ns(CLOCK_MONOTONIC);
}

/* Wall clock, since 1970. */
static inline int64_t ix_real_ns(void)
{
    return ix_clock_ns(CLOCK_REALTIME);
}

#endif
