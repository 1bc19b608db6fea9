/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/base/jitter.h"

int64_t ixa_jittered(uint64_t *state, int64_t ns)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u; /* Knuth, MMIX */
    if (ns < 4)
        return ns > 0 ? ns : 0;
    const int64_t least = ns / 4 * 3;
    const int64_t more = (int64_t)((*state >> 33) % (uint64_t)(ns / 2));
    return more > INT64_MAX - least ? INT64_MAX : least + more;
}
