/* SPDX-License-Identifier: Apache-2.0 */
/* The fast engine behind roxi_compare and roxi_compare_groups: the same bits as the reference's,
 * for random campaigns, every strategy and option, any number of threads, any instruction set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <unistd.h>

#include "roxi/distance/compare.h"
#include "roxi/distance/engine.h"
#include "tests/support/engine_support.h"
#include "tests/support/tempdir.h"

struct shape {
    size_t executions, groups, pool, items, depth;
    uint64_t count; /* of an item, at most */
};

/* Executions that draw from each group's pool of stacks; some lack a group, some are empty, some
 * have another's very set of stacks. */
static struct roxi_profiles *make_profiles(const struct shape *s)
{
    struct roxi_profiles *p = roxi_profiles_new();
    uint32_t *pool = calloc(s->groups * s->pool + 1, sizeof *pool);
    assert_non_null(p);
    for (size_t i = 0; i < s->groups * s->pool; i++)
        pool[i] = make_stack(p->symbols, draw(s->depth + 1), 90, i ? pool[draw(i)] : 0);
    for (size_t e = 0; e < s->executions; e++) {
        struct roxi_tally seen = {0};
        uint64_t same = draw(4) ? 0 : 1 + draw(3); /* seed of what is drawn */
        uint64_t kept = random_state;
        if (same)
            random_state = same;
        for (size_t g = 0; g < s->groups && draw(20); g++) {
            uint32_t group = roxi_profiles_group(p, 0, (uint32_t)g);
            for (size_t i = draw(6) ? draw(s->items + 1) : 0; i > 0; i--) {
                uint32_t stack = pool[g * s->pool + draw(s->pool)];
                roxi_tally_add(&seen, roxi_pair(group, stack), 1 + draw(s->count));
            }
        }
        random_state = same ? kept + 1 : random_state;
        assert_int_equal(roxi_profiles_add(p, "x", &seen, NULL), 0);
        roxi_tally_free(&seen);
    }
    free(pool);
    return p;
}

static void check_equal(const struct roxi_matrix *want, const struct roxi_matrix *got,
                        const char *strategy, const char *what)
{
    assert_int_equal(want->n, got->n);
    for (size_t i = 0; i < want->n * want->n; i++)
        if (memcmp(&want->cells[i], &got->cells[i], sizeof *want->cells) != 0)
            fail_msg("%s, %s, cell %zu of %zu squared: want %.17g, got %.17g", strategy, what, i,
                     want->n, want->cells[i], got->cells[i]);
}

static void check_fast(const struct roxi_profiles *p, struct roxi_compare_options o,
                       const struct roxi_matrix *want, const char *what)
{
    struct roxi_matrix got;
    struct ix_error err = {""};
    assert_int_equal(roxi_compare(p, &o, &got, &err), 0);
    check_equal(want, &got, o.strategy->name, what);
    roxi_matrix_free(&got);
}

/* Every number of threads, instruction set and width of cells. */
static void check_options(const struct roxi_profiles *p, struct roxi_compare_options o)
{
    struct roxi_matrix want;
    o.engine = ROXI_ENGINE_REFERENCE;
    assert_int_equal(roxi_compare(p, &o, &want, NULL), 0);
    o.engine = ROXI_ENGINE_FAST;
    static const unsigned threads[] = {1, 2, 4};
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        char what[32];
        snprintf(what, sizeof what, "%u threads", threads[i]);
        o.threads = threads[i];
        check_fast(p, o, &want, what);
    }
    o.threads = 0;
    o.no_pruning = true;
    check_fast(p, o, &want, "no pruning");
    o.no_pruning = false;
    for (o.cell_bits = 32; o.cell_bits <= 64; o.cell_bits *= 2)
        check_fast(p, o, &want, o.cell_bits == 32 ? "32 bits" : "64 bits");
    o.cell_bits = 0;
    o.engine = ROXI_ENGINE_PORTABLE;
    check_fast(p, o, &want, "portable");
    o.engine = ROXI_ENGINE_AVX2;
    if (roxi_kernels_for(ROXI_AVX2))
        check_fast(p, o, &want, "avx2");
    o.engine = ROXI_ENGINE_AVX512;
    if (roxi_kernels_for(ROXI_AVX512))
        check_fast(p, o, &want, "avx512");
    roxi_matrix_free(&want);
}

/* Cells of executions that are not all known, with those that are left out. */
static void check_some(const struct roxi_profiles *p, struct roxi_compare_options o)
{
    struct roxi_matrix want, got;
    bool *fresh = calloc(p->count + 1, sizeof *fresh);
    assert_int_equal(roxi_compare(p, &o, &want, NULL), 0);
    for (size_t share = 1; share <= 3; share++) {
        for (size_t e = 0; e < p->count; e++)
            fresh[e] = draw(5 * share) == 0;
        o.fresh = fresh;
        assert_int_equal(roxi_compare(p, &o, &got, NULL), 0);
        for (size_t a = 0; a < p->count; a++)
            for (size_t b = 0; b < p->count; b++)
                if (!fresh[a] && !fresh[b])
                    *roxi_cell(&got, a, b) = *roxi_cell(&want, a, b);
        check_equal(&want, &got, o.strategy->name, "some are new");
        roxi_matrix_free(&got);
    }
    free(fresh);
    roxi_matrix_free(&want);
}

/* ---- interrupted at every step there is, and resumed ---- */

static unsigned steps_left;

static bool one_step_more(void *user)
{
    (void)user;
    return steps_left-- == 0;
}

/* The matrix in as many calls as `steps` at a time take; returns how many that were. */
static unsigned compare_in_steps(const struct roxi_profiles *p, struct roxi_compare_options o,
                                 unsigned steps, const struct roxi_matrix *want)
{
    struct roxi_matrix got;
    struct ix_error err = {""};
    unsigned calls = 0;
    int result;
    do {
        struct roxi_checkpoint c = {.path = in_tempdir("half"),
                                    .inputs = 42,
                                    .resume = calls++ > 0,
                                    .interrupted = one_step_more};
        steps_left = steps;
        o.checkpoint = &c;
        o.threads = 1 + calls % 3;
        result = roxi_compare(p, &o, &got, &err);
        if (result != 0)
            assert_non_null(strstr(err.text, "--resume"));
        else
            roxi_checkpoint_remove(&c);
    } while (result != 0 && calls < 1000);
    assert_int_equal(result, 0);
    check_equal(want, &got, o.strategy->name, "in steps");
    roxi_matrix_free(&got);
    return calls;
}

static void test_interrupted(void **state)
{
    (void)state;
    static const struct shape shape = {.executions = 12,
                                       .groups = INSTRUMENTED ? 2 : 4,
                                       .pool = INSTRUMENTED ? 1600 : 3000,
                                       .items = 600,
                                       .depth = 8,
                                       .count = 9};
    begin_random("interrupted", 6);
    struct roxi_profiles *p = make_profiles(&shape);
    for (size_t s = 0; s < SEQUENCES; s += INSTRUMENTED ? SEQUENCES : 4) {
        struct roxi_matrix want;
        struct roxi_compare_options o = {.strategy = roxi_strategy_find(names[s]),
                                         .match_reward = 1,
                                         .unmatched_cost = s % 2,
                                         .diagonal_computed = s % 3};
        assert_int_equal(roxi_compare(p, &o, &want, NULL), 0);
        /* Groups of more than a batch of 1,024 stacks: steps within them, too. */
        assert_true(compare_in_steps(p, o, 0, &want) > shape.groups);
        assert_true(compare_in_steps(p, o, 1, &want) > 1);
        assert_int_equal(compare_in_steps(p, o, 100, &want), 1);
        roxi_matrix_free(&want);
    }
    roxi_profiles_free(p);
}

/* A state that is another's, or damaged, is none. */
static void test_states_that_do_not_fit(void **state)
{
    (void)state;
    struct roxi_matrix m, other;
    assert_int_equal(roxi_matrix_new(&m, 5), 0);
    assert_int_equal(roxi_matrix_new(&other, 6), 0);
    for (size_t i = 0; i < 25; i++)
        m.cells[i] = (double)i;
    struct ix_error err;
    struct roxi_checkpoint c = {
        .path = strdup(in_tempdir("half")), .inputs = 7, .interrupted = one_step_more};
    steps_left = 0;
    assert_int_equal(roxi_checkpoint_step(&c, &m, 3, 99, &err), 1);
    assert_true(roxi_checkpoint_load(&c, &m));
    assert_int_equal(c.group, 3);
    assert_int_equal(c.stack, 99);
    assert_true(m.cells[24] == 24);
    assert_false(roxi_checkpoint_load(&c, &other));
    c.inputs = 8;
    assert_false(roxi_checkpoint_load(&c, &m));
    assert_true(m.cells[24] == 0);
    c.inputs = 7;
    for (long at = 0; at < 5 * 8 + 25 * 8 + 8; at += 13) {
        FILE *f = fopen(c.path, "r+");
        assert_non_null(f);
        fseek(f, at, SEEK_SET);
        const int byte = fgetc(f);
        fseek(f, at, SEEK_SET);
        fputc(byte ^ 0x10, f);
        fclose(f);
        assert_false(roxi_checkpoint_load(&c, &m));
        f = fopen(c.path, "r+");
        fseek(f, at, SEEK_SET);
        fputc(byte, f);
        fclose(f);
    }
    assert_true(roxi_checkpoint_load(&c, &m));
    assert_int_equal(truncate(c.path, 100), 0);
    assert_false(roxi_checkpoint_load(&c, &m));
    steps_left = 0;
    free((char *)c.path);
    c.path = "/nowhere/half";
    assert_int_equal(roxi_checkpoint_step(&c, &m, 3, 99, &err), -1);
    assert_non_null(strstr(err.text, "what was computed is lost"));
    roxi_matrix_free(&m);
    roxi_matrix_free(&other);
}

static void test_some_are_new(void **state)
{
    (void)state;
    static const struct shape shape = {
        .executions = 40, .groups = 3, .pool = 70, .items = 20, .depth = 14, .count = 9};
    begin_random("some are new", 4);
    struct roxi_profiles *p = make_profiles(&shape);
    for (size_t s = 0; s < SEQUENCES; s++) {
        for (size_t i = 0; i < rounds(4); i++) {
            const unsigned bits = (unsigned)(s + i) % 4;
            check_some(p, (struct roxi_compare_options){.strategy = roxi_strategy_find(names[s]),
                                                        .match_reward = s % 3 ? 1 : 7,
                                                        .unmatched_cost = bits & 1,
                                                        .diagonal_computed = bits & 2,
                                                        .threads = 1 + bits});
        }
    }
    roxi_profiles_free(p);
}

static void test_all_options(void **state)
{
    (void)state;
    static const struct shape shapes[] = {
        {.executions = 9, .groups = 3, .pool = 12, .items = 6, .depth = 9, .count = 50},
        {.executions = 30, .groups = 2, .pool = 90, .items = 20, .depth = 30, .count = 3},
        {.executions = 1, .groups = 1, .pool = 3, .items = 2, .depth = 4, .count = 2},
    };
    static const double rewards[] = {1, 1000, 0.5, 2.25, 1.0 / 3};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        begin_random("all options", 81 + i);
        struct roxi_profiles *p = make_profiles(&shapes[i]);
        for (size_t s = 0; s < SEQUENCES; s++) {
            for (size_t k = 0; k < rounds(4); k++) {
                const unsigned bits = (unsigned)(s + i + k) % 4;
                struct roxi_compare_options o = {.strategy = roxi_strategy_find(names[s]),
                                                 .match_reward = rewards[(i + bits + s) % 5],
                                                 .unmatched_cost = bits & 1,
                                                 .diagonal_computed = bits & 2};
                check_options(p, o);
            }
        }
        roxi_profiles_free(p);
    }
}

/* More stacks than a batch and more sets than a tile has, many equal sets. */
static void test_large_group(void **state)
{
    (void)state;
    const struct shape shape = {.executions = INSTRUMENTED ? 300 : 700,
                                .groups = 1,
                                .pool = 1500,
                                .items = 12,
                                .depth = 7,
                                .count = 9};
    begin_random("large group", 5);
    struct roxi_profiles *p = make_profiles(&shape);
    struct roxi_compare_options o = {
        .strategy = roxi_strategy_find("favor-end"), .match_reward = 1, .unmatched_cost = true};
    struct roxi_matrix want;
    o.engine = ROXI_ENGINE_REFERENCE;
    assert_int_equal(roxi_compare(p, &o, &want, NULL), 0);
    o.engine = ROXI_ENGINE_FAST;
    o.threads = 3;
    check_fast(p, o, &want, "large group");
    roxi_matrix_free(&want);
    roxi_profiles_free(p);
}

/* ---- group by group ---- */

struct kept {
    struct roxi_matrix matrix[8];
    size_t count;
};

static int keep(void *user, uint32_t group, const struct roxi_matrix *directed)
{
    struct kept *k = user;
    assert_int_equal(group, k->count);
    struct roxi_matrix *copy = &k->matrix[k->count++];
    if (roxi_matrix_new(copy, directed->n) != 0)
        return -1;
    memcpy(copy->cells, directed->cells, directed->n * directed->n * sizeof *copy->cells);
    return 0;
}

static void test_groups(void **state)
{
    (void)state;
    static const struct shape shape = {
        .executions = 12, .groups = 4, .pool = 40, .items = 9, .depth = 14, .count = 5};
    begin_random("groups", 31);
    struct roxi_profiles *p = make_profiles(&shape);
    roxi_profiles_group(p, 7, 7); /* one that nobody has */
    for (size_t s = 0; s < SEQUENCES; s++) {
        struct roxi_compare_options o = {.strategy = roxi_strategy_find(names[s]),
                                         .match_reward = 1,
                                         .unmatched_cost = s & 1,
                                         .diagonal_computed = s & 2};
        struct kept fast = {0}, plain = {0};
        assert_int_equal(roxi_compare_groups(p, &o, keep, &fast, NULL), 0);
        o.engine = ROXI_ENGINE_REFERENCE;
        assert_int_equal(roxi_compare_groups(p, &o, keep, &plain, NULL), 0);
        assert_int_equal(fast.count, p->groups.n);
        assert_int_equal(plain.count, p->groups.n);
        for (size_t g = 0; g < fast.count; g++) {
            check_equal(&plain.matrix[g], &fast.matrix[g], names[s], "a group");
            roxi_matrix_free(&plain.matrix[g]);
            roxi_matrix_free(&fast.matrix[g]);
        }
    }
    roxi_profiles_free(p);
}

/* ---- when the reference has to do it, and what must come out anyway ---- */

static void test_fallback(void **state)
{
    (void)state;
    static const struct shape shape = {
        .executions = 4, .groups = 1, .pool = 8, .items = 5, .depth = 9, .count = 3};
    begin_random("fallback", 77);
    struct roxi_profiles *p = make_profiles(&shape);
    struct roxi_engine engine;
    struct roxi_compare_options o = {.strategy = roxi_strategy_find("call-stack-1"),
                                     .match_reward = 1};
    assert_int_equal(roxi_engine_init(&engine, p, &o, NULL), 1);
    o.match_reward = 0.5;
    assert_int_equal(roxi_engine_init(&engine, p, &o, NULL), 0);
    o.engine = ROXI_ENGINE_REFERENCE;
    o.match_reward = 1;
    assert_int_equal(roxi_engine_init(&engine, p, &o, NULL), 0);
    /* Counts so large that sums are rounded. */
    o.engine = ROXI_ENGINE_FAST;
    size_t e = 0;
    while (p->executions[e].count == 0)
        assert_true(++e < p->count);
    p->executions[e].items[0].count = 1LL << 51;
    assert_int_equal(roxi_engine_init(&engine, p, &o, NULL), 0);
    check_options(p, o);
    roxi_profiles_free(p);
}

static void test_properties(void **state)
{
    (void)state;
    static const struct shape shape = {
        .executions = 15, .groups = 3, .pool = 60, .items = 12, .depth = 25, .count = 4};
    begin_random("properties", 2026);
    struct roxi_profiles *p = make_profiles(&shape);
    struct roxi_compare_options o = {.strategy = roxi_strategy_find("call-stack-2"),
                                     .match_reward = 1,
                                     .unmatched_cost = true,
                                     .diagonal_computed = true};
    struct roxi_matrix two, three;
    assert_int_equal(roxi_compare(p, &o, &two, NULL), 0);
    o.strategy = roxi_strategy_find("call-stack-3");
    assert_int_equal(roxi_compare(p, &o, &three, NULL), 0);
    for (size_t a = 0; a < two.n; a++) {
        for (size_t b = 0; b < two.n; b++) {
            assert_true(*roxi_cell(&three, a, b) == 2 * *roxi_cell(&two, a, b));
            assert_true(*roxi_cell(&two, a, b) == *roxi_cell(&two, b, a));
        }
    }
    roxi_matrix_free(&two);
    roxi_matrix_free(&three);
    roxi_profiles_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_options),
        cmocka_unit_test(test_some_are_new),
        cmocka_unit_test_setup_teardown(test_interrupted, tempdir_make, tempdir_remove),
        cmocka_unit_test_setup_teardown(test_states_that_do_not_fit, tempdir_make, tempdir_remove),
        cmocka_unit_test(test_large_group),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_fallback),
        cmocka_unit_test(test_properties),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
