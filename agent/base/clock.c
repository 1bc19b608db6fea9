/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/base/clock.h"

struct ixa_clock_shift ixa_clock_shift;

void ixa_clock_set_shift(int64_t ahead_ns, int64_t drift_ppb)
{
    if (ixa_clock_shift.origin_ns)
        return;
    ixa_clock_shift.ahead_ns = ahead_ns;
    ixa_clock_shift.drift_ppb = drift_ppb;
    ixa_clock_shift.origin_ns = ix_mono_ns();
}
