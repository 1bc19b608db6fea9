/* SPDX-License-Identifier: Apache-2.0 */
/* Maps of distances worked out by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "roxi/page/map.h"

static double apart_on(const struct roxi_map *m, size_t i, size_t j)
{
    return hypot(m->x[i] - m->x[j], m->y[i] - m->y[j]);
}

/* Fills in the cells, pair after pair. */
static struct roxi_condensed condensed(size_t n, enum roxi_measure measure, const double *cells)
{
    struct roxi_condensed c;
    assert_int_equal(roxi_condensed_new(&c, n, measure), 0);
    for (size_t i = 0; i < roxi_condensed_cells(&c); i++)
        c.cells[i] = cells[i];
    return c;
}

static void test_triangle(void **state)
{
    static const double cells[] = {3, 4, 5}; /* a right angle at the first */
    struct roxi_condensed c = condensed(3, ROXI_ON_DISTANCE, cells);
    struct roxi_map m;
    (void)state;
    assert_int_equal(roxi_map_make(&m, &c), 0);
    assert_true(m.stress < 1e-6);
    assert_float_equal(apart_on(&m, 0, 1), 3, 1e-5);
    assert_float_equal(apart_on(&m, 0, 2), 4, 1e-5);
    assert_float_equal(apart_on(&m, 1, 2), 5, 1e-5);
    roxi_map_free(&m);
    roxi_condensed_free(&c);
}

/* The corners of a tetrahedron do not fit into the plane. Those of a square with side s have
 * the stress sqrt((4 (1 - s)^2 + 2 (1 - s sqrt 2)^2) / 6), which is least at s = (4 + 2 sqrt 2)
 * / 8. */
static void test_tetrahedron(void **state)
{
    static const double cells[] = {1, 1, 1, 1, 1, 1};
    const double s = (4 + 2 * sqrt(2)) / 8;
    const double least =
        sqrt((4 * (1 - s) * (1 - s) + 2 * (1 - s * sqrt(2)) * (1 - s * sqrt(2))) / 6);
    struct roxi_condensed c = condensed(4, ROXI_ON_DISTANCE, cells);
    struct roxi_map m;
    (void)state;
    assert_int_equal(roxi_map_make(&m, &c), 0);
    assert_float_equal(m.stress, least, 1e-6);
    roxi_map_free(&m);
    roxi_condensed_free(&c);
}

/* 1 - cosine is half the square of the distance. */
static void test_cosines(void **state)
{
    static const double cells[] = {0.5, 2, 0.5};
    struct roxi_condensed c = condensed(3, ROXI_ON_COSINE, cells);
    struct roxi_map m;
    (void)state;
    assert_float_equal(roxi_map_distance(&c, 1, 0), 1, 1e-12);
    assert_float_equal(roxi_map_distance(&c, 2, 2), 0, 0);
    assert_int_equal(roxi_map_make(&m, &c), 0);
    assert_true(m.stress < 1e-6); /* on a line: 0, 1, 2 */
    assert_float_equal(apart_on(&m, 0, 2), 2, 1e-5);
    roxi_map_free(&m);
    roxi_condensed_free(&c);
}

static void test_all_equal(void **state)
{
    static const double cells[] = {0, 0, 0};
    struct roxi_condensed c = condensed(3, ROXI_ON_COSINE, cells);
    struct roxi_map m;
    (void)state;
    assert_int_equal(roxi_map_make(&m, &c), 0);
    assert_float_equal(m.stress, 0, 0);
    for (size_t i = 0; i < 3; i++)
        assert_true(m.x[i] == 0 && m.y[i] == 0);
    roxi_map_free(&m);
    roxi_condensed_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_triangle),
        cmocka_unit_test(test_tetrahedron),
        cmocka_unit_test(test_cosines),
        cmocka_unit_test(test_all_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
