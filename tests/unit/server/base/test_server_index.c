/* SPDX-License-Identifier: Apache-2.0 */
/* The hash table against a plain list. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "server/base/index.h"

#define THINGS 1000

struct thing {
    int number;
    struct ixor_index_link link;
    bool in;
};

static struct thing things[THINGS];

/* Few values, so that many things share one. */
static uint64_t hash_of(int i)
{
    return (uint64_t)(i % 300) << 32 | (uint64_t)(i % 300);
}

static size_t found(const struct ixor_index *index, uint64_t hash)
{
    size_t count = 0;
    for (struct ixor_index_link *l = ixor_index_first(index, hash); l; l = ixor_index_next(l)) {
        struct thing *t = ixor_index_of(l, struct thing, link);
        assert_ptr_equal(t, &things[t->number]);
        assert_true(t->in && hash_of(t->number) == hash);
        count++;
    }
    return count;
}

static void as_a_list_would(void **state)
{
    (void)state;
    struct ixor_index index = {0};
    assert_null(ixor_index_first(&index, 5));
    srand(3);
    size_t in = 0;
    for (int step = 0; step < 20000; step++) {
        const int i = rand() % THINGS;
        struct thing *t = &things[i];
        t->number = i;
        if (t->in)
            ixor_index_remove(&index, &t->link);
        else
            assert_int_equal(ixor_index_add(&index, &t->link, hash_of(i)), 0);
        t->in = !t->in;
        in += t->in ? 1 : (size_t)-1;
        assert_int_equal(index.count, in);
        if (step % 100)
            continue;
        for (int h = 0; h < 300; h++) {
            size_t want = 0;
            for (int k = h; k < THINGS; k += 300)
                want += things[k].in;
            assert_int_equal(found(&index, hash_of(h)), want);
        }
    }
    ixor_index_free(&index);
    assert_null(ixor_index_first(&index, 5));
}

static void hashes_depend_on_all(void **state)
{
    (void)state;
    assert_int_equal(ixor_index_hash(1, "abc", 3), ixor_index_hash(1, "abc", 3));
    assert_int_not_equal(ixor_index_hash(1, "abc", 3), ixor_index_hash(2, "abc", 3));
    assert_int_not_equal(ixor_index_hash(1, "abc", 3), ixor_index_hash(1, "abd", 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_a_list_would),
        cmocka_unit_test(hashes_depend_on_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
