/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles, the distances between executions, and counts: two executions worked out by hand, and
 * random ones against Algorithms 3.1 and 3.2 written down literally. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/distance/compare.h"
#include "roxi/distance/counts.h"
#include "roxi/distance/distance.h"
#include "roxi/distance/stack_string.h"

static uint32_t string(struct roxi_profiles *p, const char *text)
{
    return roxi_symbols_string(p->symbols, text, strlen(text));
}

static void see(struct roxi_profiles *p, struct roxi_tally *seen, const char *role,
                const char *thread, const char *stack, uint64_t count)
{
    uint32_t number;
    struct ix_error err = {""};
    assert_int_equal(roxi_stack_parse(p->symbols, stack, &number, &err), 0);
    uint32_t group = roxi_profiles_group(p, string(p, role), string(p, thread));
    assert_int_not_equal(roxi_tally_add(seen, roxi_pair(group, number), count), ROXI_NONE);
}

static void finish(struct roxi_profiles *p, struct roxi_tally *seen, const char *name)
{
    assert_int_equal(roxi_profiles_add(p, name, seen, NULL), 0);
    roxi_tally_free(seen);
}

/* Frames 1 to 4 are classes alone. */
static struct roxi_profiles *two_executions(void)
{
    struct roxi_profiles *p = roxi_profiles_new();
    struct roxi_tally seen = {0};
    see(p, &seen, "B", "main", "1;2;3", 4);
    see(p, &seen, "A", "main", "1;2", 1);
    see(p, &seen, "A", "main", "1", 1);
    see(p, &seen, "A", "main", "1", 1);
    finish(p, &seen, "first");
    see(p, &seen, "A", "main", "1;3", 3);
    see(p, &seen, "A", "w", "", 1);
    see(p, &seen, "A", "w", "4", 2);
    finish(p, &seen, "second");
    return p;
}

static void test_profile(void **state)
{
    (void)state;
    struct roxi_profiles *p = two_executions();
    assert_int_equal(p->count, 2);
    assert_int_equal(p->groups.n, 3);
    const struct roxi_profile *first = &p->executions[0];
    assert_string_equal(first->name, "first");
    assert_int_equal(first->count, 3);
    assert_int_equal(first->total, 7);
    for (size_t i = 1; i < first->count; i++)
        assert_true(roxi_pair(first->items[i - 1].group, first->items[i - 1].stack) <
                    roxi_pair(first->items[i].group, first->items[i].stack));
    assert_int_equal(p->executions[1].total, 6);
    roxi_profiles_free(p);
}

static void expect(const struct roxi_profiles *p, const char *strategy, bool unmatched,
                   bool diagonal, double first, double between, double second)
{
    struct roxi_compare_options o = {.strategy = roxi_strategy_find(strategy),
                                     .match_reward = 1,
                                     .unmatched_cost = unmatched,
                                     .diagonal_computed = diagonal};
    struct roxi_matrix m;
    assert_int_equal(roxi_compare(p, &o, &m, NULL), 0);
    double want[4] = {first, between, between, second};
    for (size_t i = 0; i < 4; i++)
        if (m.cells[i] != want[i])
            fail_msg("%s, cell %zu: want %.17g, got %.17g", strategy, i, want[i], m.cells[i]);
    roxi_matrix_free(&m);
}

static void test_by_hand(void **state)
{
    (void)state;
    struct roxi_profiles *p = two_executions();
    /* A/main: 2 x d(1, 13) + 1 x d(12, 13), and 3 x the nearer of d(13, 1) and d(13, 12).
     * B/main only the first has: 4 x d(123, empty). A/w only the second: 1 x 0 + 2 x d(4, empty).
     */
    expect(p, "levenshtein", false, false, 0, 2 + 1 + 3, 0);
    expect(p, "levenshtein", true, false, 0, 6 + 12 + 2, 0);
    expect(p, "gap", false, false, 0, 2 * 3 + 1 + 3 * 1, 0);
    expect(p, "gap", true, false, 0, 10 + 4 * 5 + 2 * 3, 0);
    /* d(1,1) = -1, d(12,12) = d(13,13) = -1 - 2, d(123,123) = -1 - 2 - 3, d(4,4) = -1; both
     * directions: twice 2 x -1 + 1 x -3 + 4 x -6, and twice 3 x -3 + 0 + 2 x -1.
     * Between: d(1,13) = -1 + 2000, d(12,13) = -1 + 2 x 1000; 3 x 1999 in all, 3 back. */
    expect(p, "call-stack-1", false, true, -58, 6 * 1999, -22);
    expect(p, "call-stack-1", false, false, 0, 6 * 1999, 0);
    expect(p, "levenshtein", false, true, 0, 6, 0);
    roxi_profiles_free(p);
}

/* ---- against the algorithms as printed ---- */

static uint64_t random_state;

static uint64_t draw(uint64_t below)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u; /* splitmix64, by Vigna */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % below;
}

static void random_executions(struct roxi_profiles *p, size_t n)
{
    static const char *const roles[] = {"A", "B"}, *const threads[] = {"main", "w", "x"};
    for (size_t e = 0; e < n; e++) {
        struct roxi_tally seen = {0};
        for (size_t i = draw(20); i > 0; i--) {
            char stack[16] = "";
            size_t depth = draw(5);
            for (size_t f = 0; f < depth; f++) {
                stack[2 * f] = (char)('1' + draw(4));
                stack[2 * f + 1] = f + 1 < depth ? ';' : '\0';
            }
            see(p, &seen, roles[draw(2)], threads[draw(3)], stack, 1 + draw(5));
        }
        finish(p, &seen, "x");
    }
}

static double stack_distance(const struct roxi_profiles *p, struct roxi_distance *d, uint32_t a,
                             uint32_t b)
{
    uint32_t x[8], y[8];
    roxi_symbols_unfold(p->symbols, a, x);
    roxi_symbols_unfold(p->symbols, b, y);
    return roxi_distance(d, x, roxi_symbols_stack_at(p->symbols, a).depth, y,
                         roxi_symbols_stack_at(p->symbols, b).depth);
}

/* Algorithm 3.2 over all groups. */
static double compare(const struct roxi_profiles *p, struct roxi_distance *d, size_t v, size_t m,
                      bool unmatched)
{
    const struct roxi_profile *from = &p->executions[v], *to = &p->executions[m];
    double sum = 0;
    for (size_t i = 0; i < from->count; i++) {
        double least = INFINITY;
        for (size_t j = 0; j < to->count; j++)
            if (to->items[j].group == from->items[i].group)
                least = fmin(least, stack_distance(p, d, from->items[i].stack, to->items[j].stack));
        if (isinf(least))
            least = unmatched ? stack_distance(p, d, from->items[i].stack, 0) : 0;
        sum += (double)from->items[i].count * least;
    }
    return sum;
}

static void test_against_algorithms(void **state)
{
    (void)state;
    for (int round = 0; round < 30; round++) {
        struct roxi_profiles *p = roxi_profiles_new();
        random_executions(p, 1 + draw(6));
        struct roxi_compare_options o = {.match_reward = draw(2) ? 1 : 1000,
                                         .unmatched_cost = draw(2),
                                         .diagonal_computed = draw(2)};
        for (size_t s = 0; s < 9; s++) {
            struct roxi_matrix m;
            struct roxi_distance d;
            o.strategy = roxi_strategy_at(s);
            assert_int_equal(roxi_compare(p, &o, &m, NULL), 0);
            assert_int_equal(
                roxi_distance_init(&d, o.strategy, p->symbols, o.match_reward, 8, NULL), 0);
            for (size_t a = 0; a < p->count; a++) {
                for (size_t b = 0; b < p->count; b++) {
                    double want = compare(p, &d, a, b, o.unmatched_cost) +
                                  compare(p, &d, b, a, o.unmatched_cost);
                    if (a == b && !o.diagonal_computed)
                        want = 0;
                    assert_true(*roxi_cell(&m, a, b) == want);
                }
            }
            roxi_distance_release(&d);
            roxi_matrix_free(&m);
        }
        roxi_profiles_free(p);
    }
}

/* ---- counts ---- */

static double count_of(const struct roxi_sparse *s, const uint32_t *symbols, size_t row,
                       uint32_t symbol)
{
    for (size_t i = s->start[row]; i < s->start[row + 1]; i++)
        if (symbols[s->column[i]] == symbol)
            return s->value[i];
    return 0;
}

static void test_counts(void **state)
{
    (void)state;
    struct roxi_profiles *p = roxi_profiles_new();
    struct roxi_tally seen = {0};
    see(p, &seen, "A", "main", "1;2;1", 2);
    see(p, &seen, "B", "main", "1", 1);
    see(p, &seen, "A", "w", "1", 4);
    finish(p, &seen, "first");
    see(p, &seen, "A", "main", "2", 3);
    see(p, &seen, "A", "main", "", 7);
    finish(p, &seen, "second");
    uint32_t one, two, deep;
    roxi_stack_parse(p->symbols, "1", &one, NULL);
    roxi_stack_parse(p->symbols, "2", &two, NULL);
    roxi_stack_parse(p->symbols, "1;2;1", &deep, NULL);
    struct roxi_sparse s;
    uint32_t *symbols;

    assert_int_equal(roxi_counts(p, ROXI_STACK_COUNT, &s, &symbols, NULL), 0);
    assert_int_equal(s.rows, 2);
    assert_int_equal(s.cols, 4);
    assert_int_equal(s.start[2], 4);
    assert_true(count_of(&s, symbols, 0, deep) == 2);
    assert_true(count_of(&s, symbols, 0, one) == 5);
    assert_true(count_of(&s, symbols, 1, two) == 3);
    assert_true(count_of(&s, symbols, 1, 0) == 7);
    assert_true(count_of(&s, symbols, 1, one) == 0);
    roxi_sparse_free(&s);
    free(symbols);

    assert_int_equal(roxi_counts(p, ROXI_FRAME_COUNT, &s, &symbols, NULL), 0);
    assert_int_equal(s.cols, 2);
    uint32_t f1 = roxi_symbols_stack_at(p->symbols, one).frame;
    uint32_t f2 = roxi_symbols_stack_at(p->symbols, two).frame;
    assert_true(count_of(&s, symbols, 0, f1) == 2 * 2 + 5);
    assert_true(count_of(&s, symbols, 0, f2) == 2);
    assert_true(count_of(&s, symbols, 1, f1) == 0);
    assert_true(count_of(&s, symbols, 1, f2) == 3);
    roxi_sparse_free(&s);
    free(symbols);
    roxi_profiles_free(p);
}

static void test_tally(void **state)
{
    (void)state;
    struct roxi_tally t = {0};
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(roxi_tally_add(&t, roxi_pair((uint32_t)(i % 300), 7), i), i % 300);
    assert_int_equal(t.n, 300);
    assert_int_equal(roxi_tally_key(&t, 299), roxi_pair(299, 7));
    assert_int_equal(roxi_tally_count(&t, roxi_pair(5, 7)), 5 + 305 + 605 + 905);
    assert_int_equal(roxi_tally_count(&t, roxi_pair(7, 5)), 0);
    roxi_tally_free(&t);
    assert_int_equal(roxi_tally_count(&t, 1), 0);
}

static int set_up(void **state)
{
    (void)state;
    const char *seed = getenv("SEED");
    random_state = seed ? strtoull(seed, NULL, 10) : 1;
    print_message("# SEED=%llu\n", (unsigned long long)random_state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tally),   cmocka_unit_test(test_profile),
        cmocka_unit_test(test_by_hand), cmocka_unit_test(test_against_algorithms),
        cmocka_unit_test(test_counts),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
