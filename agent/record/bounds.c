/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/bounds.h"

bool ixa_bounds_passed(struct ixa_bounds *b, uint64_t memory, uint64_t bytes)
{
    if (!b->floor)
        b->floor = memory ? memory : 1;
    const bool grown = memory > b->memory / 2 && memory / 2 >= b->floor;
    const bool passed = grown || (b->maxlog && bytes > b->maxlog / 4);
    if (passed)
        b->floor = 0;
    return passed;
}
