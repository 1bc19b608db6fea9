/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/base/radix.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { BITS = 8, VALUES = 1 << BITS };

static uint32_t number_of(const char *element)
{
    uint32_t number;
    memcpy(&number, element, sizeof number);
    return number;
}

/* The greatest number; *ascending: are they in order already? */
static uint32_t survey(const char *list, size_t count, size_t size, bool *ascending)
{
    uint32_t greatest = 0, before = 0;
    *ascending = true;
    for (size_t i = 0; i < count; i++) {
        const uint32_t number = number_of(list + i * size);
        *ascending = *ascending && number >= before;
        greatest = number > greatest ? number : greatest;
        before = number;
    }
    return greatest;
}

/* Sorts by the digit that begins at bit `shift`. */
static void distribute(const char *from, size_t count, size_t size, uint32_t shift, char *to)
{
    size_t next[VALUES + 1] = {0}; /* by value: where the next element goes */
    for (size_t i = 0; i < count; i++)
        next[(number_of(from + i * size) >> shift) % VALUES + 1]++;
    for (size_t v = 1; v < VALUES; v++)
        next[v] += next[v - 1];
    for (size_t i = 0; i < count; i++) {
        const char *element = from + i * size;
        memcpy(to + next[(number_of(element) >> shift) % VALUES]++ * size, element, size);
    }
}

void roxi_sort_by_number(void *list, size_t count, size_t size, void *work)
{
    bool ascending;
    const uint32_t greatest = survey(list, count, size, &ascending);
    for (uint32_t shift = 0; !ascending && shift < 32 && greatest >> shift; shift += BITS) {
        distribute(list, count, size, shift, work);
        memcpy(list, work, count * size);
    }
}
