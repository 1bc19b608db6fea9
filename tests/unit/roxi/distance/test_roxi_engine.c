/* SPDX-License-Identifier: Apache-2.0 */
/* The fast engine's kernels: every width on every instruction set of this processor against the
 * reference implementation, and the costs and bounds that they rely on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>

#include "roxi/distance/distance.h"
#include "roxi/distance/kernel.h"
#include "tests/support/engine_support.h"

static struct roxi_symbols *symbols;

/* ---- a group in which every stack is one member's only one, so that "nearest" is the distance
 * ---- */

static void make_group(struct roxi_group *g, const uint32_t *stacks, size_t n)
{
    uint32_t *distinct = calloc(n + 1, sizeof *distinct);
    memcpy(distinct, stacks, n * sizeof *distinct);
    n = roxi_distinct(distinct, n);
    *g = (struct roxi_group){.members = n, .stacks = n, .stack = distinct};
    g->start = calloc(n + 1, sizeof *g->start);
    g->local = calloc(n + 1, sizeof *g->local);
    g->first = calloc(n + 1, sizeof *g->first);
    for (size_t i = 0; i < n; i++) {
        g->local[i] = (uint32_t)i;
        g->start[i + 1] = i + 1;
        g->first[i + 1] = g->first[i] + roxi_symbols_stack_at(symbols, distinct[i]).depth;
    }
    g->frames = calloc(g->first[n] + 1, sizeof *g->frames);
    for (size_t i = 0; i < n; i++)
        roxi_symbols_unfold(symbols, distinct[i], g->frames + g->first[i]);
}

static double *by_reference(const struct roxi_group *g, const struct roxi_strategy *s,
                            double reward)
{
    double *want = calloc(g->stacks * g->stacks + 1, sizeof *want);
    struct roxi_distance d;
    assert_int_equal(
        roxi_distance_init(&d, s, symbols, reward, roxi_symbols_deepest(symbols), NULL), 0);
    for (size_t a = 0; a < g->stacks; a++)
        for (size_t b = 0; b < g->stacks; b++)
            want[a * g->stacks + b] =
                roxi_distance(&d, g->frames + g->first[a], g->first[a + 1] - g->first[a],
                              g->frames + g->first[b], g->first[b + 1] - g->first[b]);
    roxi_distance_release(&d);
    return want;
}

struct how {
    const struct roxi_kernels *kernels;
    unsigned bits;
    bool whole;
};

/* Compares the kernels' distances with want; returns the number of cells that took, in all lanes.
 */
static double check_kernels(const struct roxi_group *g, const struct roxi_strategy *s,
                            double reward, const double *want, struct how how)
{
    struct roxi_trie trie;
    struct roxi_sets sets;
    struct roxi_costs costs;
    size_t n = g->stacks;
    double cells = 0;
    assert_true(roxi_costs_init(&costs, s, reward));
    assert_int_equal(roxi_trie_build(&trie, g, symbols, s), 0);
    assert_int_equal(roxi_sets_find(&sets, g, &trie), 0);
    assert_int_equal(sets.count, n);
    double *nearest = calloc(ROXI_LANES * n + 1, sizeof *nearest);
    for (size_t from = 0; from < n; from += ROXI_LANES) {
        uint32_t query[ROXI_LANES];
        struct roxi_block b = {.trie = &trie,
                               .costs = &costs,
                               .sets = &sets,
                               .query = query,
                               .queries = n - from < ROXI_LANES ? n - from : ROXI_LANES,
                               .whole = how.whole,
                               .nearest = nearest,
                               .cells = &cells};
        /* Depths mixed on purpose; the engine sorts them. */
        for (size_t q = 0; q < b.queries; q++)
            query[q] = (uint32_t)(from + q);
        double bound = roxi_block_bound(&b);
        assert_int_equal(roxi_kernel_choose(how.kernels, bound, trie.names, how.bits)(&b), 0);
        for (size_t q = 0; q < b.queries; q++) {
            for (size_t m = 0; m < n; m++) {
                double right = want[trie.stack[query[q]] * n + sets.has[m]];
                double got = nearest[q * n + m];
                if (got != right || got * s->scale > bound || -got * s->scale > bound)
                    fail_msg("%s, cells of %u bits or more%s, pair %zu %zu: want %.17g, "
                             "got %.17g, bound %g",
                             s->name, how.bits, how.whole ? ", whole" : "", from + q, m, right, got,
                             bound);
            }
        }
    }
    free(nearest);
    roxi_sets_free(&sets);
    roxi_trie_free(&trie);
    return cells;
}

/* On every instruction set, in the cells that the engine would take and in wider ones, and without
 * pruning; returns the number of pairs. */
static size_t check_group(const uint32_t *stacks, size_t n, const char *strategy, double reward)
{
    const struct roxi_strategy *s = roxi_strategy_find(strategy);
    struct roxi_group g;
    make_group(&g, stacks, n);
    double *want = by_reference(&g, s, reward);
    for (int isa = 0; isa < ROXI_ISAS; isa++) {
        struct how how = {.kernels = roxi_kernels_for((enum roxi_isa)isa)};
        if (!how.kernels)
            continue;
        how.whole = true;
        const double whole = check_kernels(&g, s, reward, want, how);
        how.whole = false;
        for (how.bits = 16; how.bits <= 64; how.bits *= 2)
            assert_true(check_kernels(&g, s, reward, want, how) <= whole);
    }
    const size_t pairs = g.stacks * g.stacks;
    free(want);
    roxi_group_release(&g);
    return pairs;
}

static double pick_reward(void)
{
    static const double rewards[] = {1, 1000, 7};
    return rewards[draw(3)];
}

static void start(const char *test, uint64_t number)
{
    begin_random(test, number);
    symbols = roxi_symbols_new();
    assert_non_null(symbols);
}

static void finish(void)
{
    roxi_symbols_free(symbols);
    symbols = NULL;
}

static void test_random_pairs(void **state)
{
    (void)state;
    enum { STACKS = 350 };
    start("random pairs", 20261);
    for (size_t s = 0; s < SEQUENCES; s++) {
        size_t pairs = 0;
        /* Many frames, then few of them, then deeper stacks. */
        for (size_t round = 0; round < 3; round++) {
            uint32_t stack[STACKS];
            size_t stacks = INSTRUMENTED ? 40 : round > 0 ? 70 : STACKS;
            for (size_t i = 0; i < stacks; i++)
                stack[i] = make_stack(symbols, draw(round == 2 ? 40 : 18), round == 1 ? 6 : 60,
                                      i ? stack[draw(i)] : 0);
            pairs += check_group(stack, stacks, names[s], pick_reward());
        }
        assert_true(INSTRUMENTED || pairs >= 100000);
    }
    finish();
}

static void check_depths(const char *strategy, const size_t *depths, size_t n, uint64_t seed)
{
    start(strategy, seed);
    uint32_t stack[32];
    for (size_t i = 0; i < n; i++) {
        stack[i] = make_stack(symbols, depths[i], 30, i ? stack[draw(i)] : 0);
        stack[n + i] = make_stack(symbols, depths[i], 2000, 0);
    }
    check_group(stack, 2 * n, strategy, pick_reward());
    finish();
}

static void test_depths(void **state)
{
    (void)state;
    static const size_t depths[] = {0, 1, 2, 63, 64, 65, 66, 126, 127, 128, 129, 255, 256, 257};
    static const size_t deep[] = {3, 403};
    for (size_t s = 0; s < SEQUENCES; s++) {
        check_depths(names[s], depths, INSTRUMENTED ? 8 : 14, 4711 + s);
        if (!INSTRUMENTED)
            check_depths(names[s], deep, 2, 5000 + s);
    }
}

/* One stack of each depth, all frames different: the dearest there is. Goes over a border between
 * widths of cells. */
static void check_borders(const char *strategy, size_t from, size_t to)
{
    start(strategy, to);
    uint32_t stack[64];
    size_t n = 0;
    for (size_t depth = from; depth <= to; depth++) {
        uint32_t x = 0, y = 0;
        for (size_t i = 0; i < depth; i++) {
            x = roxi_symbols_stack(symbols, x, make_frame(symbols, (unsigned)(24 * (i + 1))));
            y = roxi_symbols_stack(symbols, y, make_frame(symbols, (unsigned)(24 * (i + 5000))));
        }
        uint32_t group[] = {0, x, y};
        if (depth < 200)
            check_group(group, 3, strategy, 1000);
        stack[n++] = x;
        stack[n++] = y;
    }
    check_group(stack, n, strategy, 1);
    finish();
}

static size_t deepest_in(unsigned bits, const char *strategy)
{
    struct roxi_costs c;
    assert_true(roxi_costs_init(&c, roxi_strategy_find(strategy), 1));
    size_t fits = 0, too_deep = 20000;
    while (too_deep - fits > 1) {
        size_t depth = (fits + too_deep) / 2;
        if (roxi_costs_bound(&c, depth, depth) <= (bits == 16 ? INT16_MAX : INT32_MAX))
            fits = depth;
        else
            too_deep = depth;
    }
    return fits;
}

static void test_borders_of_widths(void **state)
{
    (void)state;
    /* As deep as docs/thesis.md says (Properties), but for the step's allowance. */
    assert_in_range(deepest_in(16, "favor-end"), 120, 126);
    assert_in_range(deepest_in(16, "favor-begin"), 120, 126);
    assert_in_range(deepest_in(16, "favor-end-squared"), 18, 23);
    assert_in_range(deepest_in(16, "levenshtein"), 16000, 16383);
    assert_in_range(deepest_in(16, "gap"), 16000, 16383);
    assert_in_range(deepest_in(32, "favor-end-squared"), 900, 930);
    assert_in_range(deepest_in(32, "call-stack-1"), 1000, 1040);
    assert_in_range(deepest_in(32, "call-stack-2"), 1000, 1460);
    for (size_t s = 0; s < SEQUENCES; s++) {
        size_t depth = deepest_in(16, names[s]);
        if (depth < 200)
            check_borders(names[s], depth > 2 ? depth - 2 : 0, depth + 2);
    }
    if (!INSTRUMENTED) {
        size_t depth = deepest_in(32, "call-stack-1");
        check_borders("call-stack-1", depth, depth + 1);
        depth = deepest_in(32, "favor-begin-squared");
        check_borders("favor-begin-squared", depth, depth + 1);
    }
}

/* The kernels that a bound and a number of names lead to. */
static void test_choice(void **state)
{
    (void)state;
    const struct roxi_kernels *k = roxi_kernels_best();
    assert_ptr_equal(roxi_kernel_choose(k, 32767, 32767, 0), k->cells_16);
    assert_ptr_equal(roxi_kernel_choose(k, 32768, 10, 0), k->cells_32);
    assert_ptr_equal(roxi_kernel_choose(k, 10, 32768, 0), k->cells_32);
    assert_ptr_equal(roxi_kernel_choose(k, 10, 10, 32), k->cells_32);
    assert_ptr_equal(roxi_kernel_choose(k, 2147483647.0, 10, 0), k->cells_32);
    assert_ptr_equal(roxi_kernel_choose(k, 2147483648.0, 10, 0), k->cells_64);
    assert_ptr_equal(roxi_kernel_choose(k, 10, 10, 64), k->cells_64);
    assert_non_null(roxi_kernels_for(ROXI_PORTABLE));
}

static size_t from_anchor(const struct roxi_strategy *s, size_t i, size_t n)
{
    return s->anchor == ROXI_FROM_TOP ? n - 1 - i : i;
}

/* What strategy.h promises of anchors and scales. */
static void test_costs(void **state)
{
    (void)state;
    enum { MOST = 12 };
    for (size_t at = 0; at < SEQUENCES; at++) {
        const struct roxi_strategy *s = roxi_strategy_find(names[at]);
        struct roxi_costs c;
        assert_true(roxi_costs_init(&c, s, 1));
        for (size_t m = 1; s->kind == ROXI_EDIT && m <= MOST; m++) {
            for (size_t i = 0; i < m; i++) {
                size_t k = from_anchor(s, i, m);
                assert_true(roxi_costs_insert(&c, k, m) == s->insert(i, m) * s->scale);
                for (size_t n = 1; n <= MOST; n++) {
                    for (size_t j = 0; j < n; j++) {
                        size_t kj = from_anchor(s, j, n);
                        int64_t got = s->graded
                                          ? roxi_costs_left(&c, k, m) + roxi_costs_right(&c, kj, n)
                                          : roxi_costs_replace(&c, k + kj);
                        assert_true((double)got == s->replace(i, m, j, n) * s->scale);
                    }
                }
            }
        }
        assert_true(roxi_costs_init(&c, s, 1000) && (!s->graded || c.reward == 1000));
        assert_int_equal(roxi_costs_init(&c, s, 0.5), !s->graded);
        assert_int_equal(roxi_costs_init(&c, s, 1e300), !s->graded);
    }
}

/* ---- what is left out ---- */

/* A character a frame, which the text's letters tell apart. */
static uint32_t stack_of(const char *text)
{
    uint32_t stack = 0;
    for (; *text; text++)
        stack = roxi_symbols_stack(symbols, stack, make_frame(symbols, (unsigned)*text * 12));
    return stack;
}

static void test_common_frames(void **state)
{
    (void)state;
    static const struct {
        const char *stacks[5], *strategy;
        size_t alike, skip, cut;
    } cases[] = {
        {{"12345", "1267", "12", "9", ""}, "levenshtein", 3, 2, 0},
        {{"12345", "1267", "12", "9", ""}, "gap", 3, 2, 0},
        {{"12345", "1267", "12", "9", ""}, "favor-end", 3, 0, 2},
        {{"12345", "1267", "12", "9", ""}, "favor-end-squared", 3, 0, 2},
        {{"54321", "7621", "21", "9", ""}, "favor-begin", 3, 0, 2},
        {{"54321", "7621", "21", "9", ""}, "favor-begin-squared", 3, 0, 2},
        {{"54321", "7621", "21", "9", ""}, "favor-end", 5, 0, 0}, /* not at that end */
        {{"12345", "1267", "12", "9", ""}, "call-stack-1", 5, 0, 0},
        {{"12345", "1267", "12", "9", ""}, "call-stack-2", 5, 0, 0},
        /* fewer, but so much longer */
        {{"1234567", "1234568", "1234569", "19", "18"}, "levenshtein", 3, 6, 0},
        {{"1", "2", "3", "4", "5"}, "levenshtein", 5, 0, 0},
        {{"12", "12", "12", "12", "12"}, "gap", 1, 2, 0},
    };
    start("common frames", 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t stacks[5];
        struct roxi_group g;
        struct roxi_trie trie;
        for (size_t k = 0; k < 5; k++)
            stacks[k] = stack_of(cases[i].stacks[k]);
        make_group(&g, stacks, 5);
        const struct roxi_strategy *s = roxi_strategy_find(cases[i].strategy);
        assert_int_equal(roxi_trie_build(&trie, &g, symbols, s), 0);
        assert_int_equal(trie.alike, cases[i].alike);
        assert_int_equal(trie.skip, cases[i].skip);
        assert_int_equal(trie.cut, cases[i].cut);
        roxi_trie_free(&trie);
        roxi_group_release(&g);
        check_group(stacks, 5, s->name, 1);
    }
    finish();
}

/* Most stacks have `head` frames in common where they begin and `tail` where they end; the others
 * have less of it, or nothing. */
static void check_alike(const char *strategy, size_t head, size_t tail, size_t others)
{
    enum { STACKS = INSTRUMENTED ? 36 : 62, MOST = INSTRUMENTED ? 40 : 60 };
    uint32_t stack[STACKS + 1] = {0}, frames[MOST];
    for (size_t i = 1; i <= STACKS; i++) {
        const size_t depth = head + tail + draw(MOST - head - tail);
        const size_t from = i <= others ? draw(head + 2) : 0;
        const size_t less = i <= others ? draw(tail + 2) : 0,
                     to = depth - (less < depth ? less : depth);
        for (size_t k = 0; k < depth; k++)
            frames[k] = make_frame(symbols, (unsigned)(k < head            ? 1000 + k
                                                       : k + tail >= depth ? 2000 + depth - k
                                                                           : draw(20)));
        for (size_t k = from; k < to; k++)
            stack[i] = roxi_symbols_stack(symbols, stack[i], frames[k]);
    }
    check_group(stack, STACKS + 1, strategy, 1);
}

static void test_mostly_alike(void **state)
{
    (void)state;
    start("mostly alike", 8080);
    for (size_t s = 0; s < SEQUENCES; s++)
        for (size_t others = INSTRUMENTED ? s % 2 * 18 : 0; others < 48;
             others += INSTRUMENTED ? 48 : 16)
            check_alike(names[s], draw(9), draw(9), others);
    finish();
}

/* ---- 10,000 frames ---- */

/* In memory for a few dozen rows: x, x with one frame more, x with another frame. */
static void test_very_deep(void **state)
{
    (void)state;
    size_t depth = INSTRUMENTED ? 800 : 10000;
    start("very deep", 99);
    uint32_t x = 0, y = 0;
    for (size_t i = 0; i < depth; i++) {
        uint32_t frame = make_frame(symbols, (unsigned)draw(1000));
        x = roxi_symbols_stack(symbols, x, frame);
        y = roxi_symbols_stack(symbols, y, i == depth / 2 ? make_frame(symbols, 2000) : frame);
    }
    uint32_t z = roxi_symbols_stack(symbols, x, make_frame(symbols, 2001));
    uint32_t stacks[] = {x, y, z};
    struct roxi_group g;
    make_group(&g, stacks, 3);
    double want[9], between[3][3] = {{0, 1, 1}, {1, 0, 2}, {1, 2, 0}};
    for (size_t a = 0; a < 3; a++)
        for (size_t b = 0; b < 3; b++)
            want[roxi_place(g.stack, 3, stacks[a]) * 3 + roxi_place(g.stack, 3, stacks[b])] =
                between[a][b];
    const struct how how = {.kernels = roxi_kernels_best(), .bits = 16};
    check_kernels(&g, roxi_strategy_find("levenshtein"), 1, want, how);
    roxi_group_release(&g);
    finish();
}

/* The distances of a query to all of the group, by the best kernels. */
static void check_query(const struct roxi_group *g, const struct roxi_strategy *s, size_t query)
{
    struct roxi_trie trie;
    struct roxi_sets sets;
    struct roxi_costs costs;
    struct roxi_distance d;
    double nearest[8];
    assert_true(roxi_costs_init(&costs, s, 1));
    assert_int_equal(roxi_trie_build(&trie, g, symbols, s), 0);
    assert_int_equal(roxi_sets_find(&sets, g, &trie), 0);
    assert_in_range(sets.count, 1, 8);
    assert_int_equal(roxi_distance_init(&d, s, symbols, 1, roxi_symbols_deepest(symbols), NULL), 0);
    uint32_t place = 0;
    while (trie.stack[place] != query)
        place++;
    struct roxi_block b = {.trie = &trie,
                           .costs = &costs,
                           .sets = &sets,
                           .query = &place,
                           .queries = 1,
                           .nearest = nearest};
    roxi_kernel *kernel =
        roxi_kernel_choose(roxi_kernels_best(), roxi_block_bound(&b), trie.names, 0);
    assert_int_equal(kernel(&b), 0);
    for (size_t i = 0; i < sets.count; i++) {
        const size_t m = sets.has[i];
        assert_true(nearest[i] == roxi_distance(&d, g->frames + g->first[query],
                                                g->first[query + 1] - g->first[query],
                                                g->frames + g->first[m],
                                                g->first[m + 1] - g->first[m]));
    }
    roxi_distance_release(&d);
    roxi_sets_free(&sets);
    roxi_trie_free(&trie);
}

/* Every strategy: such a stack, and a part of it that is changed here and there. */
static void test_very_deep_of_all(void **state)
{
    (void)state;
    enum { DEEP = INSTRUMENTED ? 2500 : 10000, PART = INSTRUMENTED ? 60 : 200 };
    for (size_t s = 0; s < SEQUENCES; s++) {
        start(names[s], 100 + s);
        uint32_t stacks[2] = {0};
        for (size_t i = 0; i < DEEP; i++) {
            const uint32_t frame = make_frame(symbols, (unsigned)draw(1000));
            stacks[0] = roxi_symbols_stack(symbols, stacks[0], frame);
            if (i >= DEEP / 2 && i < DEEP / 2 + PART)
                stacks[1] =
                    roxi_symbols_stack(symbols, stacks[1],
                                       draw(9) ? frame : make_frame(symbols, (unsigned)draw(1000)));
        }
        struct roxi_group g;
        make_group(&g, stacks, 2);
        check_query(&g, roxi_strategy_find(names[s]), roxi_place(g.stack, 2, stacks[1]));
        roxi_group_release(&g);
        finish();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_costs),
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_random_pairs),
        cmocka_unit_test(test_depths),
        cmocka_unit_test(test_borders_of_widths),
        cmocka_unit_test(test_common_frames),
        cmocka_unit_test(test_mostly_alike),
        cmocka_unit_test(test_very_deep),
        cmocka_unit_test(test_very_deep_of_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
