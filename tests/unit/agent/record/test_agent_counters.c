/* SPDX-License-Identifier: Apache-2.0 */
/* The counts of methods, read from structures like HotSpot's in this process's memory. That they
 * are where a real JVM has them: agent_invocations.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>

#include "agent/record/counters.h"

struct constants {
    uint64_t other;
    uint16_t max_locals, parameters;
};

struct data {
    void *other, *method;
    uint32_t more, counter;
};

struct counters {
    uint64_t other;
    uint32_t counter;
};

struct code {
    uint64_t other;
    int32_t tier;
};

struct method {
    void *other;
    struct constants *constants;
    struct data *data;
    struct counters *counters;
    struct code *code;
};

static const struct ixa_counters where = {
    .constants = offsetof(struct method, constants),
    .data = offsetof(struct method, data),
    .counters = offsetof(struct method, counters),
    .code = offsetof(struct method, code),
    .max_locals = offsetof(struct constants, max_locals),
    .parameters = offsetof(struct constants, parameters),
    .interpreted = offsetof(struct counters, counter),
    .method = offsetof(struct data, method),
    .profiled = offsetof(struct data, counter),
    .tier = offsetof(struct code, tier),
};

/* An id is the address of a pointer to the method. */
static jmethodID id_of(void **pointer)
{
    return (jmethodID)pointer;
}

static void expect(const struct ixa_count *count, bool known, uint32_t calls, bool at_least)
{
    assert_int_equal(count->known, known);
    if (!known)
        return;
    assert_int_equal(count->calls, calls);
    assert_int_equal(count->at_least, at_least);
}

/* The lowest bit of a counter is a flag. */
static void test_counts(void **state)
{
    (void)state;
    struct counters interpreted = {.counter = 7 << 1 | 1};
    struct code tiers[] = {{.tier = 1}, {.tier = 2}, {.tier = 3}, {.tier = 4}};
    struct method never = {0}, seldom = {.counters = &interpreted};
    struct method often = {.counters = &interpreted}, by_tier[4];
    struct data profile = {.method = &often, .counter = 1000 << 1};
    often.data = &profile;
    void *methods[] = {&never, &seldom, &often, &by_tier[0], &by_tier[1], &by_tier[2], &by_tier[3]};
    jmethodID ids[7];
    struct ixa_count counts[7];
    for (int i = 0; i < 4; i++)
        by_tier[i] = (struct method){.counters = &interpreted, .code = &tiers[i]};
    for (int i = 0; i < 7; i++)
        ids[i] = id_of(&methods[i]);
    ixa_counters_read(&where, ids, 7, counts);
    expect(&counts[0], true, 0, false);
    expect(&counts[1], true, 7, false);
    expect(&counts[2], true, 1007, false);
    for (int i = 0; i < 4; i++) /* tiers 1 and 4 do not count */
        expect(&counts[3 + i], true, 7, i == 0 || i == 3);
}

/* A page that is there no longer: reading it is an error, not a crash. */
static void *gone(void)
{
    void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(page, MAP_FAILED);
    assert_int_equal(munmap(page, 4096), 0);
    return page;
}

static void test_memory_that_is_gone(void **state)
{
    (void)state;
    struct counters interpreted = {.counter = 5 << 1};
    struct method good = {.counters = &interpreted}, no_counters = {.counters = gone()},
                  no_data = {.counters = &interpreted, .data = gone()},
                  no_code = {.counters = &interpreted, .code = gone()}, another = {0};
    struct data of_another = {.method = &another, .counter = 9 << 1};
    struct method wrong = {.counters = &interpreted, .data = &of_another};
    void *methods[] = {&good, &no_code, &wrong, &no_data, &no_counters, gone(), NULL, &good};
    jmethodID ids[9];
    struct ixa_count counts[9];
    for (int i = 0; i < 8; i++)
        ids[i] = id_of(&methods[i]);
    ixa_counters_read(&where, ids, 5, counts);
    expect(&counts[0], true, 5, false);
    expect(&counts[1], true, 5, true);
    expect(&counts[2], false, 0, false);
    expect(&counts[3], false, 0, false);
    expect(&counts[4], false, 0, false);
    ixa_counters_read(&where, ids + 5, 3, counts); /* what follows comes with the next look */
    expect(&counts[0], false, 0, false);
    expect(&counts[1], false, 0, false);
    ixa_counters_read(&where, ids + 7, 1, counts);
    expect(&counts[0], true, 5, false);
    ids[8] = gone();
    ixa_counters_read(&where, ids + 8, 1, counts);
    expect(&counts[0], false, 0, false);
    ixa_counters_read(&where, ids, 0, counts);
}

static void test_check(void **state)
{
    (void)state;
    struct constants constants = {.max_locals = 3, .parameters = 2};
    struct method method = {.constants = &constants}, none = {0}, wild = {.constants = gone()};
    void *methods[] = {&method, &none, &wild, NULL};
    assert_true(ixa_counters_check(&where, id_of(&methods[0]), 2, 3));
    assert_false(ixa_counters_check(&where, id_of(&methods[0]), 3, 3));
    assert_false(ixa_counters_check(&where, id_of(&methods[0]), 2, 4));
    for (int i = 1; i < 4; i++)
        assert_false(ixa_counters_check(&where, id_of(&methods[i]), 2, 3));
    assert_false(ixa_counters_check(&where, gone(), 2, 3));
}

/* No JVM is loaded here. */
static void test_no_jvm(void **state)
{
    (void)state;
    struct ixa_counters found;
    assert_false(ixa_counters_find(&found));
}

static void test_a_whole_batch(void **state)
{
    (void)state;
    static struct counters interpreted[IXA_COUNTERS_BATCH];
    static struct method methods[IXA_COUNTERS_BATCH];
    static void *pointers[IXA_COUNTERS_BATCH];
    jmethodID ids[IXA_COUNTERS_BATCH];
    struct ixa_count counts[IXA_COUNTERS_BATCH];
    for (uint32_t i = 0; i < IXA_COUNTERS_BATCH; i++) {
        interpreted[i].counter = i << 1;
        methods[i] = (struct method){.counters = i % 3 ? &interpreted[i] : NULL};
        pointers[i] = &methods[i];
        ids[i] = id_of(&pointers[i]);
    }
    ixa_counters_read(&where, ids, IXA_COUNTERS_BATCH, counts);
    for (uint32_t i = 0; i < IXA_COUNTERS_BATCH; i++)
        expect(&counts[i], true, i % 3 ? i : 0, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),        cmocka_unit_test(test_memory_that_is_gone),
        cmocka_unit_test(test_check),         cmocka_unit_test(test_no_jvm),
        cmocka_unit_test(test_a_whole_batch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
