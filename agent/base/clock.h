/* SPDX-License-Identifier: Apache-2.0 */
/* The agent's monotonic clock, which tests can shift. The wall clock is ix_real_ns. */
#ifndef IX_AGENT_CLOCK_H
#define IX_AGENT_CLOCK_H

#include <stdatomic.h>
#include <stdint.h>

#include "schema/base/clock.h"

/* For tests (option testclock): another host's clock. All fields zero: no shift. */
struct ixa_clock_shift {
    _Atomic int64_t ahead_ns;  /* now, relative to CLOCK_MONOTONIC */
    _Atomic int64_t drift_ppb; /* how much faster it runs after origin_ns, in parts per 10^9 */
    _Atomic int64_t origin_ns; /* on CLOCK_MONOTONIC */
};
extern struct ixa_clock_shift ixa_clock_shift;
/* Shifts ixa_mono_ns from now on. Only the first call has an effect: a clock in use must not
 * jump. */
void ixa_clock_set_shift(int64_t ahead_ns, int64_t drift_ppb);

/* The monotonic clock of HELLO, of reports, of the trace log and of all waiting in the agent. */
static inline int64_t ixa_mono_ns(void)
{
    int64_t ns = ix_mono_ns();
    int64_t origin = atomic_load_explicit(&ixa_clock_shift.origin_ns, memory_order_relaxed);
    if (!origin)
        return ns;
    int64_t drift = atomic_load_explicit(&ixa_clock_shift.drift_ppb, memory_order_relaxed);
    return ns + atomic_load_explicit(&ixa_clock_shift.ahead_ns, memory_order_relaxed) +
           (int64_t)((double)(ns - origin) * 1e-9 * (double)drift);
}

#endif
