/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of who waits for whom, with numbers worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "schema/waits/graph.h"

/* Of each node the one that it waits for; -1: nobody. */
static void make(struct waits_graph *g, const int *next, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_int_equal(waits_graph_add(g, &(struct waits_node){.kind = WAITS_THREAD}), i);
    for (size_t i = 0; i < count; i++)
        g->nodes[i].next = next[i] < 0 ? WAITS_NONE : (size_t)next[i];
    assert_int_equal(waits_graph_finish(g), 0);
}

static void waiters_are_counted(void **state)
{
    (void)state;
    /*  0 -> 1 -> 2 <- 3;  4 waits for nobody, and nobody for it;  5 -> 6 */
    static const int next[] = {1, 2, -1, 2, -1, 6, -1};
    static const size_t want[] = {0, 1, 3, 0, 0, 0, 1};
    static const size_t order[] = {2, 1, 0, 3}, depths[] = {0, 1, 2, 1};
    struct waits_graph g = {0};
    make(&g, next, 7);
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(g.nodes[i].waiters, want[i]);
    assert_int_equal(g.end_count, 2);
    assert_int_equal(g.ends[0], 2);
    assert_int_equal(g.ends[1], 6);
    assert_int_equal(g.ring_count, 0);
    size_t at = 2, depth = 0;
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(at, order[i]);
        assert_int_equal(depth, depths[i]);
        at = waits_graph_walk(&g, 2, at, &depth);
    }
    assert_int_equal(at, WAITS_NONE);
    waits_graph_free(&g);
}

static void rings_are_found(void **state)
{
    (void)state;
    /*  0 -> 1 -> 2 -> 0, 3 -> 4 -> 1;  5 <-> 6 */
    static const int next[] = {1, 2, 0, 4, 1, 6, 5};
    static const size_t want[] = {4, 4, 4, 0, 1, 1, 1};
    struct waits_graph g = {0};
    make(&g, next, 7);
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(g.nodes[i].waiters, want[i]);
    assert_int_equal(g.end_count, 0);
    assert_int_equal(g.ring_count, 2);
    assert_int_equal(g.rings[0], 0);
    assert_int_equal(g.rings[1], 5);
    size_t depth = 0, at = waits_graph_walk(&g, 1, 1, &depth);
    assert_int_equal(at, 4);
    at = waits_graph_walk(&g, 1, at, &depth);
    assert_int_equal(at, 3);
    assert_int_equal(waits_graph_walk(&g, 1, at, &depth), WAITS_NONE);
    assert_int_equal(waits_graph_walk(&g, 0, 0, &depth), WAITS_NONE);
    waits_graph_clear(&g);
    make(&g, next, 0);
    assert_int_equal(g.end_count + g.ring_count, 0);
    waits_graph_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiters_are_counted),
        cmocka_unit_test(rings_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
