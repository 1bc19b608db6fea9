/* SPDX-License-Identifier: Apache-2.0 */
/* Distances between call stacks: the thesis' Table 3.5, numbers worked out by hand, properties that
 * the formulas imply, and a second implementation that shares nothing with the first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "roxi/distance/distance.h"
#include "schema/tracelog/tracelog.h"

enum { DEPTH = 130, SEQUENCES = 9, GAP = 8 };

static const char *const names[SEQUENCES] = {
    "levenshtein",  "favor-end",    "favor-end-squared", "favor-begin", "favor-begin-squared",
    "call-stack-1", "call-stack-2", "call-stack-3",      "gap",
};

static struct roxi_symbols *symbols;

static uint32_t make_frame(const char *class_name, const char *method, const char *descriptor,
                           int line)
{
    struct roxi_frame f = {
        .class_name = roxi_symbols_string(symbols, class_name, strlen(class_name)),
        .method = roxi_symbols_string(symbols, method, strlen(method)),
        .descriptor = roxi_symbols_string(symbols, descriptor, strlen(descriptor)),
        .line = line,
    };
    return roxi_symbols_frame(symbols, f);
}

static double distance(const char *strategy, double reward, const uint32_t *x, size_t m,
                       const uint32_t *y, size_t n)
{
    struct roxi_distance d;
    const struct roxi_strategy *s = roxi_strategy_find(strategy);
    assert_non_null(s);
    assert_int_equal(roxi_distance_init(&d, s, symbols, reward, m > n ? m : n, NULL), 0);
    double result = roxi_distance(&d, x, m, y, n);
    roxi_distance_release(&d);
    return result;
}

/* ---- tables: a character a frame ---- */

/* Digits differ in the class; a and b to e as in docs/thesis.md: b differs from a in the line, c in
 * the descriptor, d in the method, e in the class. */
static size_t frames_of(const char *text, uint32_t *frames)
{
    size_t n = 0;
    for (; *text; text++) {
        char one[2] = {*text, '\0'};
        if (*text >= '0' && *text <= '9')
            frames[n++] = make_frame(one, "", "", IX_LINE_UNKNOWN);
        else
            frames[n++] = make_frame(*text == 'e' ? "B" : "A", *text == 'd' ? "n" : "m",
                                     *text == 'c' ? "(I)V" : "()V", *text == 'b' ? 2 : 1);
    }
    return n;
}

static void expect(const char *strategy, const char *x, const char *y, double want)
{
    uint32_t a[16], b[16];
    size_t m = frames_of(x, a), n = frames_of(y, b);
    double got = distance(strategy, 1, a, m, b, n), back = distance(strategy, 1, b, n, a, m);
    if (got != want || back != want)
        fail_msg("%s of '%s' and '%s': want %.17g, got %.17g and back %.17g", strategy, x, y, want,
                 got, back);
}

static void test_position_tables(void **state)
{
    (void)state;
    static const struct {
        const char *x, *y;
        double want[5];
    } cells[] = {
        /* Table 3.5 */
        {"12345", "62345", {1, 6, 26, 1, 1}},
        {"12345", "12346", {1, 2, 2, 5, 17}},
        {"12345", "712345", {1, 7, 37, 1, 1}},
        /* exact rationals by a prototype */
        {"12", "3", {2, 4.5, 5.25, 2.5, 2.25}},
        {"123", "", {3, 9, 17, 6, 8}},
        {"1234", "52", {3, 9, 17, 8, 10}},
        {"123", "415263", {3, 15, 58.75, 9, 18.5}},
        {"1234", "19234", {1, 5, 17, 2, 2}},
        {"", "", {0, 0, 0, 0, 0}},
        {"123", "123", {0, 0, 0, 0, 0}},
    };
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++)
        for (size_t s = 0; s < 5; s++)
            expect(names[s], cells[i].x, cells[i].y, cells[i].want[s]);
}

static void test_gap_table(void **state)
{
    (void)state;
    expect("gap", "123", "9123", 3);
    expect("gap", "123", "1923", 3);
    expect("gap", "123", "1239", 3);
    expect("gap", "123", "12983", 4);
    expect("gap", "123", "", 5);
    expect("gap", "12", "3", 4);
    expect("gap", "", "", 0);
    expect("gap", "1234567", "1289567", 2); /* two replacements are cheaper than any gap */
    expect("gap", "123", "8123999", 3 + 5); /* a gap at each end: 3, and 3 + 1 + 1 */
}

static void test_call_stack_table(void **state)
{
    (void)state;
    static const struct {
        const char *x, *y;
        double first, second;
    } cells[] = {
        {"a", "a", -1, 0},       {"a", "b", 1, 0},          {"a", "c", 10, 0},
        {"a", "d", 100, 0},      {"a", "e", 1000, 0},       {"ae", "ab", 1999, 1000},
        {"aed", "aec", 297, 99}, {"aed", "ed", 996, 998.5}, {"", "", 0, 0},
        {"ab", "", 3000, 3000},
    };
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        expect("call-stack-1", cells[i].x, cells[i].y, cells[i].first);
        expect("call-stack-2", cells[i].x, cells[i].y, cells[i].second);
        expect("call-stack-3", cells[i].x, cells[i].y, 2 * cells[i].second);
    }
}

static void test_match_reward(void **state)
{
    (void)state;
    uint32_t x[4];
    size_t n = frames_of("aed", x);
    /* factors 1, 2, 3 */
    assert_true(distance("call-stack-1", 1000, x, n, x, n) == -6000);
    assert_true(distance("call-stack-1", 1, x, n, x, n) == -6);
    /* others do not know it */
    assert_true(distance("levenshtein", 1000, x, n, x, n) == 0);
}

static void test_strategies(void **state)
{
    (void)state;
    static const char *const all[] = {
        "levenshtein",  "favor-end",    "favor-end-squared", "favor-begin", "favor-begin-squared",
        "call-stack-1", "call-stack-2", "call-stack-3",      "gap",         "frame-count",
        "stack-count",
    };
    for (size_t i = 0; i < 11; i++) {
        assert_string_equal(roxi_strategy_at(i)->name, all[i]);
        assert_ptr_equal(roxi_strategy_find(all[i]), roxi_strategy_at(i));
        assert_int_equal(roxi_strategy_is_distance(roxi_strategy_at(i)), i < 9);
    }
    assert_null(roxi_strategy_at(11));
    assert_null(roxi_strategy_find("favor"));
}

/* ---- the second implementation: whole tables of integers, four times the real costs ---- */

static int64_t table[DEPTH + 1][DEPTH + 1];

/* Twice the thesis' p. */
static int64_t peak2(int64_t i, int64_t m)
{
    return m - llabs(2 * i - m);
}

static int64_t insert4(int s, int64_t j, int64_t n)
{
    switch (s) {
    case 0:
        return 4;
    case 1:
        return 4 * (1 + n - j);
    case 2:
        return 4 * (1 + (n - j) * (n - j));
    case 3:
        return 4 * (1 + j);
    case 4:
        return 4 * (1 + j * j);
    case 5:
        return 4000 * (1 + j);
    case 6:
        return 4000 + 2000 * peak2(j, n);
    default:
        return 8000 + 4000 * peak2(j, n);
    }
}

static int64_t replace4(int s, int64_t i, int64_t m, int64_t j, int64_t n)
{
    int64_t end = m - i + n - j, begin = i + j;
    switch (s) {
    case 0:
        return 4;
    case 1:
        return 4 + 2 * end;
    case 2:
        return 4 + end * end;
    case 3:
    case 5:
        return 4 + 2 * begin;
    case 4:
        return 4 + begin * begin;
    case 6:
        return peak2(i, m) + peak2(j, n);
    default:
        return 2 * (peak2(i, m) + peak2(j, n));
    }
}

static int64_t grade(uint32_t x, uint32_t y, int64_t reward)
{
    struct roxi_frame f = roxi_symbols_frame_at(symbols, x), g = roxi_symbols_frame_at(symbols, y);
    if (f.class_name != g.class_name)
        return 1000;
    if (f.method != g.method)
        return 100;
    if (f.descriptor != g.descriptor)
        return 10;
    return f.line != g.line ? 1 : -reward;
}

static int64_t at_most(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t edit4(int s, int64_t reward, const uint32_t *x, int m, const uint32_t *y, int n)
{
    for (int i = 0; i <= m; i++) {
        for (int j = 0; j <= n; j++) {
            int64_t best = i == 0 && j == 0 ? 0 : INT64_MAX;
            if (i > 0)
                best = at_most(best, table[i - 1][j] + insert4(s, i - 1, m));
            if (j > 0)
                best = at_most(best, table[i][j - 1] + insert4(s, j - 1, n));
            if (i > 0 && j > 0) {
                int64_t cost = replace4(s, i - 1, m, j - 1, n);
                if (s >= 5)
                    cost *= grade(x[i - 1], y[j - 1], reward);
                else if (x[i - 1] == y[j - 1])
                    cost = 0;
                best = at_most(best, table[i - 1][j - 1] + cost);
            }
            table[i][j] = best;
        }
    }
    return table[m][n];
}

/* Every gap length tried (Waterman, Smith and Beyer 1976), where the program has Gotoh's
 * recurrence. */
static int64_t gap4(const uint32_t *x, int m, const uint32_t *y, int n)
{
    for (int i = 0; i <= m; i++) {
        for (int j = 0; j <= n; j++) {
            int64_t best = i == 0 && j == 0 ? 0 : INT64_MAX;
            for (int k = 1; k <= i; k++)
                best = at_most(best, table[i - k][j] + 4 * (2 + k));
            for (int k = 1; k <= j; k++)
                best = at_most(best, table[i][j - k] + 4 * (2 + k));
            if (i > 0 && j > 0)
                best = at_most(best, table[i - 1][j - 1] + (x[i - 1] == y[j - 1] ? 0 : 4));
            table[i][j] = best;
        }
    }
    return table[m][n];
}

/* ---- random stacks ---- */

static uint64_t random_state;

/* splitmix64, by Vigna */
static uint64_t draw(uint64_t below)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % below;
}

static uint32_t random_frame(void)
{
    static const char *const classes[] = {"a.A", "a.B"}, *const methods[] = {"run", "call"};
    static const char *const descriptors[] = {"()V", "(I)V"};
    return make_frame(classes[draw(2)], methods[draw(2)], descriptors[draw(2)], (int)draw(2) + 1);
}

static void fill(uint32_t *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = random_frame();
}

/* y: x with some frames changed, left out and put in, or a stack of its own. */
static size_t derive(const uint32_t *x, size_t m, uint32_t *y, size_t want)
{
    bool own = draw(4) == 0;
    size_t n = 0;
    for (size_t i = 0; n < want; i++)
        y[n++] = own || i >= m || draw(5) == 0 ? random_frame() : x[i];
    return n;
}

static void compare_with_second(const uint32_t *x, size_t m, const uint32_t *y, size_t n)
{
    for (int s = 0; s < SEQUENCES; s++) {
        int64_t reward = draw(3) ? 1 : 1000;
        int64_t want =
            s == GAP ? gap4(x, (int)m, y, (int)n) : edit4(s, reward, x, (int)m, y, (int)n);
        double got = 4 * distance(names[s], (double)reward, x, m, y, n);
        if (got != (double)want)
            fail_msg("%s, depths %zu and %zu: want %lld / 4, got %.17g / 4", names[s], m, n,
                     (long long)want, got);
        assert_true(4 * distance(names[s], (double)reward, y, n, x, m) == got);
    }
}

static void test_against_second_implementation(void **state)
{
    (void)state;
    uint32_t x[DEPTH], y[DEPTH];
    for (int i = 0; i < 12000; i++) {
        size_t m = draw(13);
        fill(x, m);
        compare_with_second(x, m, y, derive(x, m, y, draw(13)));
    }
}

static void test_depths(void **state)
{
    (void)state;
    static const size_t depths[] = {0, 1, 63, 64, 65, 66, 127, 128, 129};
    uint32_t x[DEPTH], y[DEPTH];
    for (size_t a = 0; a < 9; a++) {
        for (size_t b = 0; b < 9; b++) {
            fill(x, depths[a]);
            compare_with_second(x, depths[a], y, derive(x, depths[a], y, depths[b]));
        }
    }
}

static void test_metric(void **state)
{
    (void)state;
    static const char *const metrics[] = {"levenshtein", "gap"};
    uint32_t x[8], y[8], z[8];
    for (int i = 0; i < 5000; i++) {
        size_t m = draw(9);
        fill(x, m);
        size_t n = derive(x, m, y, draw(9));
        size_t k = derive(y, n, z, draw(9));
        for (int s = 0; s < 2; s++) {
            double xy = distance(metrics[s], 1, x, m, y, n),
                   yz = distance(metrics[s], 1, y, n, z, k);
            double xz = distance(metrics[s], 1, x, m, z, k);
            assert_true(xz <= xy + yz);
            bool same = m == n && memcmp(x, y, m * sizeof *x) == 0;
            assert_int_equal(xy == 0, same);
        }
        assert_true(distance("call-stack-3", 1, x, m, y, n) ==
                    2 * distance("call-stack-2", 1, x, m, y, n));
    }
}

/* A common beginning or end may be left out where the costs do not look at it. */
static void test_common_ends(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool beginning, end;
    } exact[] = {{"levenshtein", true, true},  {"gap", true, true},
                 {"favor-end", true, false},   {"favor-end-squared", true, false},
                 {"favor-begin", false, true}, {"favor-begin-squared", false, true}};
    uint32_t x[24], y[24];
    for (size_t s = 0; s < 6; s++) {
        const enum roxi_end end = roxi_strategy_find(exact[s].name)->common;
        assert_true(end == ROXI_ENTRY_END ? exact[s].beginning
                                          : end == ROXI_TOP_END && exact[s].end);
    }
    for (size_t s = 5; s < 8; s++)
        assert_int_equal(roxi_strategy_find(names[s])->common, ROXI_NO_END);
    for (int i = 0; i < 3000; i++) {
        size_t before = draw(5), m = draw(7), n = draw(7), after = draw(5);
        fill(x, before + m + after);
        memcpy(y, x, before * sizeof *x);
        derive(x + before, m, y + before, n);
        memcpy(y + before + n, x + before + m, after * sizeof *x);
        for (size_t s = 0; s < 6; s++) {
            size_t cut = exact[s].beginning ? before : 0, keep = exact[s].end ? 0 : after;
            double whole = distance(exact[s].name, 1, x, before + m + after, y, before + n + after);
            double part = distance(exact[s].name, 1, x + cut, before - cut + m + keep, y + cut,
                                   before - cut + n + keep);
            assert_true(whole == part);
        }
    }
}

static int set_up(void **state)
{
    (void)state;
    const char *seed = getenv("SEED");
    random_state = seed ? strtoull(seed, NULL, 10) : 1;
    print_message("# SEED=%llu\n", (unsigned long long)random_state);
    symbols = roxi_symbols_new();
    return symbols ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    roxi_symbols_free(symbols);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strategies),   cmocka_unit_test(test_position_tables),
        cmocka_unit_test(test_gap_table),    cmocka_unit_test(test_call_stack_table),
        cmocka_unit_test(test_match_reward), cmocka_unit_test(test_against_second_implementation),
        cmocka_unit_test(test_depths),       cmocka_unit_test(test_metric),
        cmocka_unit_test(test_common_ends),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
