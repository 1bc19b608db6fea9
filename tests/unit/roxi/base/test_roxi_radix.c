/* SPDX-License-Identifier: Apache-2.0 */
/* Elements sorted by the number that they begin with, against sorting by comparison. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "roxi/base/radix.h"
#include "tests/support/rounds.h"

struct element {
    uint32_t number, place; /* where it was before */
    double more;
};

static int by_number_then_place(const void *a, const void *b)
{
    const struct element *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* Numbers of up to `bits` bits. */
static void against_comparing(unsigned *seed, size_t count, unsigned bits)
{
    enum { MOST = 3000 };
    static struct element list[MOST], work[MOST], sorted[MOST];
    for (size_t i = 0; i < count; i++) {
        const uint32_t number = (uint32_t)rand_r(seed) << 16 ^ (uint32_t)rand_r(seed);
        list[i] = (struct element){number >> (32 - bits), (uint32_t)i, (double)number};
    }
    memcpy(sorted, list, sizeof sorted);
    if (count)
        qsort(sorted, count, sizeof *sorted, by_number_then_place);
    roxi_sort_by_number(list, count, sizeof *list, work);
    for (size_t i = 0; i < count; i++)
        if (list[i].number != sorted[i].number || list[i].place != sorted[i].place ||
            memcmp(&list[i].more, &sorted[i].more, sizeof list[i].more) != 0)
            fail_msg("%zu elements of %u bits: wrong at %zu", count, bits, i);
}

static void test_elements(void **state)
{
    (void)state;
    unsigned seed = 1;
    for (unsigned bits = 1; bits <= 32; bits++)
        for (size_t count = 0; count < 5; count++)
            against_comparing(&seed, count, bits);
    for (size_t i = 0; i < rounds(300); i++)
        against_comparing(&seed, (size_t)rand_r(&seed) % 3001, 1 + (unsigned)rand_r(&seed) % 32);
}

static void test_numbers_alone(void **state)
{
    (void)state;
    uint32_t list[] = {70000, UINT32_MAX, 0, 255, 256, 65536, 65535, 0, 1U << 31, 1}, work[10];
    const uint32_t sorted[] = {0, 0, 1, 255, 256, 65535, 65536, 70000, 1U << 31, UINT32_MAX};
    roxi_sort_by_number(list, 10, sizeof *list, work);
    assert_memory_equal(list, sorted, sizeof sorted);
    roxi_sort_by_number(list, 10, sizeof *list, work);
    assert_memory_equal(list, sorted, sizeof sorted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_elements),
                                       cmocka_unit_test(test_numbers_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
