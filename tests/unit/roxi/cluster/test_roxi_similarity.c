/* SPDX-License-Identifier: Apache-2.0 */
/* Cosines: small numbers worked out by hand; dense and sparse, every instruction set and number of
 * threads to the last bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>

#include "roxi/cluster/product.h"
#include "roxi/cluster/similarity.h"
#include "tests/support/engine_support.h"

static void assert_near(double got, double want)
{
    if (!(fabs(got - want) < 1e-12))
        fail_msg("want %.17g, got %.17g", want, got);
}

static void matrix_of(const double *cells, size_t n, struct roxi_matrix *m)
{
    assert_int_equal(roxi_matrix_new(m, n), 0);
    memcpy(m->cells, cells, n * n * sizeof *cells);
}

static void apart_of(const struct roxi_matrix *whole, const struct roxi_sparse *sparse,
                     struct roxi_similarity_options o, struct roxi_condensed *out)
{
    struct roxi_rows rows = {whole, sparse};
    assert_int_equal(roxi_similarity(&rows, &o, out, NULL), 0);
    assert_int_equal(out->measure, ROXI_ON_COSINE);
}

static void test_cosine(void **state)
{
    (void)state;
    static const double cells[16] = {3, 4, 0, 0, 4, 3, 0, 0, -9, 0, 0, 0, 0, 0, 0, 0};
    struct roxi_matrix m;
    struct roxi_condensed c;
    matrix_of(cells, 4, &m);
    apart_of(&m, NULL, (struct roxi_similarity_options){0}, &c);
    assert_int_equal(c.n, 4);
    assert_near(roxi_apart(&c, 0, 1), 1 - 24.0 / 25);
    assert_near(roxi_apart(&c, 1, 0), 1 - 24.0 / 25);
    assert_near(roxi_apart(&c, 1, 2), 1.8);
    assert_near(roxi_apart(&c, 0, 3), 1);
    roxi_condensed_free(&c);
    apart_of(&m, NULL, (struct roxi_similarity_options){.sqrt_rows = true}, &c);
    assert_near(roxi_apart(&c, 0, 1), 1 - 4 * sqrt(3) / 7);
    assert_near(roxi_apart(&c, 1, 2), 1 + 2 / sqrt(7));
    roxi_condensed_free(&c);
    roxi_matrix_free(&m);
}

/* A column that every row has weighs nothing; one that 2 of 3 have weighs log2(3/2), one that 1 of
 * 3 has log2(3). */
static void test_idf(void **state)
{
    (void)state;
    static const double cells[9] = {1, 2, 1, 5, 0, 0, 1, 2, 0};
    struct roxi_matrix m;
    struct roxi_condensed c;
    matrix_of(cells, 3, &m);
    apart_of(&m, NULL, (struct roxi_similarity_options){.idf_columns = true}, &c);
    double two = 2 * log2(1.5), one = log2(3);
    assert_near(roxi_apart(&c, 0, 1), 1);
    assert_near(roxi_apart(&c, 0, 2), 1 - two / sqrt(two * two + one * one));
    roxi_condensed_free(&c);
    roxi_matrix_free(&m);
}

/* Rows alike are at distance 0, not a rounding below it. */
static void test_alike(void **state)
{
    (void)state;
    static const double cells[9] = {0.1, 0.7, 0.3, 0.1, 0.7, 0.3, 0.3, 2.1, 0.9};
    struct roxi_matrix m;
    struct roxi_condensed c;
    matrix_of(cells, 3, &m);
    apart_of(&m, NULL, (struct roxi_similarity_options){0}, &c);
    assert_true(roxi_apart(&c, 0, 1) >= 0 && roxi_apart(&c, 0, 1) < 1e-15);
    assert_true(roxi_apart(&c, 0, 2) >= 0 && roxi_apart(&c, 0, 2) < 1e-15);
    roxi_condensed_free(&c);
    roxi_matrix_free(&m);
}

static void random_matrix(struct roxi_matrix *m, size_t n, unsigned zeros_of_16)
{
    assert_int_equal(roxi_matrix_new(m, n), 0);
    for (size_t i = 0; i < n * n; i++)
        m->cells[i] = draw(16) < zeros_of_16 ? 0 : (double)draw(1000003) / 7 - 40000;
}

static void same_bits(const struct roxi_condensed *x, const struct roxi_condensed *y)
{
    assert_int_equal(x->n, y->n);
    assert_memory_equal(x->cells, y->cells, roxi_condensed_cells(x) * sizeof *x->cells);
}

/* The plain definition: ascending columns, one after another; lengths not fused. */
static void plain(const struct roxi_matrix *m, struct roxi_condensed *out)
{
    assert_int_equal(roxi_condensed_new(out, m->n, ROXI_ON_COSINE), 0);
    for (size_t a = 0; a < m->n; a++) {
        for (size_t b = a + 1; b < m->n; b++) {
            volatile double of_a = 0, of_b = 0; /* each step rounded */
            double sum = 0;
            for (size_t c = 0; c < m->n; c++) {
                volatile double x = *roxi_cell(m, a, c), y = *roxi_cell(m, b, c);
                volatile double xx = x * x, yy = y * y;
                sum = fma(x, y, sum);
                of_a = of_a + xx;
                of_b = of_b + yy;
            }
            double cosine = of_a > 0 && of_b > 0 ? sum / (sqrt(of_a) * sqrt(of_b)) : 0;
            out->cells[roxi_pair_at(m->n, a, b)] = cosine < 1 ? 1 - cosine : 0;
        }
    }
}

static void test_same_everywhere(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 23, 24, 25, 191, 193, 260};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes - 2 * INSTRUMENTED; i++) {
        for (unsigned zeros = 0; zeros < 16; zeros += 15) {
            struct roxi_matrix m;
            struct roxi_sparse s;
            struct roxi_condensed want, one, three, few;
            random_matrix(&m, sizes[i], zeros);
            plain(&m, &want);
            apart_of(&m, NULL, (struct roxi_similarity_options){.threads = 1}, &one);
            apart_of(&m, NULL, (struct roxi_similarity_options){.threads = 3}, &three);
            assert_int_equal(roxi_sparse_of(&s, &m), 0);
            apart_of(NULL, &s, (struct roxi_similarity_options){.threads = 2}, &few);
            same_bits(&want, &one);
            same_bits(&want, &three);
            same_bits(&want, &few);
            roxi_sparse_free(&s);
            roxi_matrix_free(&m);
            roxi_condensed_free(&want);
            roxi_condensed_free(&one);
            roxi_condensed_free(&three);
            roxi_condensed_free(&few);
        }
    }
}

enum { COLUMNS = 77, CELLS = ROXI_PANEL * ROXI_PANEL };

static void with_products(const struct roxi_products *products, const double *panels,
                          const double *want)
{
    double sums[CELLS], spread[COLUMNS], value[COLUMNS];
    uint32_t column[COLUMNS];
    for (size_t i = 0; i < CELLS; i++)
        sums[i] = 0;
    for (size_t part = 0; part < COLUMNS; part += 40)
        products->panels(panels + part * ROXI_PANEL, panels + (COLUMNS + part) * ROXI_PANEL,
                         COLUMNS - part < 40 ? COLUMNS - part : 40, sums, ROXI_PANEL);
    assert_memory_equal(sums, want, sizeof sums);
    for (size_t c = 0; c < COLUMNS; c++) {
        spread[c] = panels[c * ROXI_PANEL + 1];
        value[c] = panels[(COLUMNS + c) * ROXI_PANEL + 2];
        column[c] = (uint32_t)c;
    }
    double sum = products->sparse(spread, value, column, COLUMNS);
    assert_memory_equal(&sum, &want[ROXI_PANEL + 2], sizeof sum);
}

static void test_instruction_sets(void **state)
{
    (void)state;
    static double panels[2 * COLUMNS * ROXI_PANEL], want[CELLS];
    for (size_t i = 0; i < sizeof panels / sizeof *panels; i++)
        panels[i] = (double)draw(1000003) / 9;
    for (size_t i = 0; i < CELLS; i++) {
        for (size_t c = 0; c < COLUMNS; c++)
            want[i] = fma(panels[c * ROXI_PANEL + i / ROXI_PANEL],
                          panels[(COLUMNS + c) * ROXI_PANEL + i % ROXI_PANEL], want[i]);
    }
    with_products(&roxi_products_portable, panels, want);
#if defined __x86_64__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        with_products(&roxi_products_avx2, panels, want);
    if (__builtin_cpu_supports("avx512f"))
        with_products(&roxi_products_avx512, panels, want);
#endif
    with_products(roxi_products_best(), panels, want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cosine),
        cmocka_unit_test(test_idf),
        cmocka_unit_test(test_alike),
        cmocka_unit_test(test_same_everywhere),
        cmocka_unit_test(test_instruction_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
