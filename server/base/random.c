/* SPDX-License-Identifier: Apache-2.0 */
#include "server/base/random.h"

uint64_t ixor_random_bits(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

double ixor_random_part(uint64_t *state)
{
    return (double)(ixor_random_bits(state) >> 11) * 0x1p-53;
}
