/* SPDX-License-Identifier: Apache-2.0 */
/* When the datagrams of each packet came, and how far apart the first and the last were. */
#ifndef IX_TESTS_ARRIVALS_H
#define IX_TESTS_ARRIVALS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define ARRIVALS 65536 /* packets remembered, a power of two */

static struct {
    uint64_t number, first_ns, last_ns;
    size_t count;
} arrivals[ARRIVALS];

static void arrivals_add(uint64_t number, uint64_t ns)
{
    const size_t i = number % ARRIVALS;
    if (arrivals[i].number != number) {
        arrivals[i].number = number;
        arrivals[i].first_ns = arrivals[i].last_ns = ns;
        arrivals[i].count = 0;
    }
    if (ns < arrivals[i].first_ns)
        arrivals[i].first_ns = ns;
    if (ns > arrivals[i].last_ns)
        arrivals[i].last_ns = ns;
    arrivals[i].count++;
}

static int arrivals_order(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Packets; of those that `all` sessions had, how many, and their spreads. */
static void arrivals_print(size_t all)
{
    static uint64_t spreads[ARRIVALS];
    size_t whole = 0, count = 0;
    for (size_t i = 0; i < ARRIVALS; i++) {
        count += arrivals[i].count > 0;
        if (arrivals[i].count == all && all)
            spreads[whole++] = arrivals[i].last_ns - arrivals[i].first_ns;
    }
    qsort(spreads, whole, sizeof *spreads, arrivals_order);
    printf("packets %zu\nwhole %zu\n", count, whole);
    if (whole)
        printf("spread_p50_us %llu\nspread_p99_us %llu\nspread_max_us %llu\n",
               (unsigned long long)spreads[whole / 2] / 1000,
               (unsigned long long)spreads[whole * 99 / 100] / 1000,
               (unsigned long long)spreads[whole - 1] / 1000);
}

#endif
