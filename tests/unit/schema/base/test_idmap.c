/* SPDX-License-Identifier: Apache-2.0 */
/* The hash table of 64-bit keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "schema/base/idmap.h"

/* Against an array, with keys that collide: pointers differ in few bits. */
static void map_against_array(void **state)
{
    (void)state;
    enum { KEYS = 5000 };
    static uint32_t model[KEYS];
    struct ix_idmap m = {0};
    unsigned short seed[3] = {1, 2, 3};
    for (int round = 0; round < 2; round++) {
        memset(model, 0, sizeof model);
        for (int i = 0; i < 20000; i++) {
            uint32_t key = (uint32_t)nrand48(seed) % KEYS, number = (uint32_t)nrand48(seed) | 1;
            assert_int_equal(ix_idmap_get(&m, (uint64_t)key << 12), model[key]);
            model[key] = number;
            assert_int_equal(ix_idmap_put(&m, (uint64_t)key << 12, number), 0);
        }
        for (uint32_t key = 0; key < KEYS; key++) {
            assert_int_equal(ix_idmap_get(&m, (uint64_t)key << 12), model[key]);
            assert_int_equal(ix_idmap_get(&m, (uint64_t)key << 12 | 1), 0);
        }
        ix_idmap_clear(&m);
    }
    ix_idmap_free(&m);
    assert_int_equal(ix_idmap_get(&m, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(map_against_array)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
