/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/mutants.h"

#include <string.h>

static uint64_t state = 1;

void mutants_seed(uint64_t seed)
{
    state = seed | 1; /* 0 would stay 0 */
}

/* xorshift64* (Vigna 2014). */
uint64_t next_random(void)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * UINT64_C(0x2545f4914f6cdd1d);
}

size_t below(size_t n)
{
    return (size_t)(next_random() % n);
}

size_t mutate(uint8_t *bytes, size_t size, size_t room)
{
    for (size_t n = below(4); n > 0 && size; n--) {
        const size_t at = below(size), len = below(size - at) + 1;
        switch (below(5)) {
        case 0:
            bytes[at] ^= (uint8_t)(1u << below(8));
            break;
        case 1:
            bytes[at] = (uint8_t)next_random();
            break;
        case 2:
            memset(bytes + at, below(2) ? 0xff : 0, len);
            break;
        case 3:
            memmove(bytes + at, bytes + at + len, size - at - len);
            size -= len;
            break;
        default:
            if (size + len > room)
                break;
            memmove(bytes + at + len, bytes + at, size - at);
            size += len;
        }
    }
    return size;
}
