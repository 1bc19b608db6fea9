/* Cosine similarity, agglomerative clustering: small numbers worked out by hand, and
 * clusterings against one that recomputes every linkage from the members. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/cluster.h"
#include "roxi/similarity.h"

enum { MOST = 14 };

static void assert_near(double got, double want)
{
    if (!(fabs(got - want) < 1e-12))
        fail_msg("want %.17g, got %.17g", want, got);
}

static void similarity(const double *cells, size_t n, bool sqrt_rows, bool idf,
                       struct roxi_matrix *out)
{
    struct roxi_matrix m;
    struct roxi_sparse rows;
    struct roxi_similarity_options o = {.sqrt_rows = sqrt_rows, .idf_columns = idf};
    assert_int_equal(roxi_matrix_new(&m, n), 0);
    memcpy(m.cells, cells, n * n * sizeof *cells);
    assert_int_equal(roxi_sparse_of(&rows, &m), 0);
    assert_int_equal(roxi_similarity(&rows, &o, out, NULL), 0);
    roxi_sparse_free(&rows);
    roxi_matrix_free(&m);
}

static void test_cosine(void **state)
{
    (void)state;
    static const double rows[16] = {3, 4, 0, 0, 4, 3, 0, 0, -9, 0, 0, 0, 0, 0, 0, 0};
    struct roxi_matrix s;
    similarity(rows, 4, false, false, &s);
    assert_near(*roxi_cell(&s, 0, 1), 24.0 / 25);
    assert_near(*roxi_cell(&s, 1, 0), 24.0 / 25);
    assert_near(*roxi_cell(&s, 0, 0), 1);
    assert_near(*roxi_cell(&s, 1, 2), -0.8);
    assert_near(*roxi_cell(&s, 0, 3), 0);
    assert_near(*roxi_cell(&s, 3, 3), 0);
    roxi_matrix_free(&s);
    similarity(rows, 4, true, false, &s);
    assert_near(*roxi_cell(&s, 0, 1), 4 * sqrt(3) / 7);
    assert_near(*roxi_cell(&s, 1, 2), -2 / sqrt(7));
    roxi_matrix_free(&s);
}

/* A column that every row has weighs nothing; one that 2 of 3 have weighs log2(3/2), one that 1 of
 * 3 has log2(3). */
static void test_idf(void **state)
{
    (void)state;
    static const double rows[9] = {1, 2, 1, 5, 0, 0, 1, 2, 0};
    struct roxi_matrix s;
    similarity(rows, 3, false, true, &s);
    double two = 2 * log2(1.5), one = log2(3);
    assert_near(*roxi_cell(&s, 0, 1), 0);
    assert_near(*roxi_cell(&s, 1, 1), 0);
    assert_near(*roxi_cell(&s, 0, 2), two / sqrt(two * two + one * one));
    roxi_matrix_free(&s);
}

static void symmetric(struct roxi_matrix *m, size_t n, const double *upper)
{
    assert_int_equal(roxi_matrix_new(m, n), 0);
    for (size_t a = 0; a < n; a++) {
        *roxi_cell(m, a, a) = 1;
        for (size_t b = a + 1; b < n; b++)
            *roxi_cell(m, a, b) = *roxi_cell(m, b, a) = *upper++;
    }
}

static void expect_merge(struct roxi_merge m, size_t a, size_t b, size_t size, double similar)
{
    assert_int_equal(m.a, a);
    assert_int_equal(m.b, b);
    assert_int_equal(m.size, size);
    assert_near(m.similarity, similar);
}

static void test_linkages(void **state)
{
    (void)state;
    static const double upper[] = {0.9, 0.1, 0.2, 0.5, 0.3, 0.8};
    static const double last[] = {0.5, 0.1, (0.1 + 0.2 + 0.5 + 0.3) / 4};
    struct roxi_matrix s;
    struct roxi_merge merges[3];
    symmetric(&s, 4, upper);
    for (enum roxi_linkage l = ROXI_SINGLE; l <= ROXI_AVERAGE; l++) {
        assert_int_equal(roxi_cluster(&s, l, merges, NULL), 0);
        expect_merge(merges[0], 0, 1, 2, 0.9);
        expect_merge(merges[1], 2, 3, 2, 0.8);
        expect_merge(merges[2], 4, 5, 4, last[l]);
    }
    roxi_matrix_free(&s);
}

/* 1 joins 3 first; then single goes on to 2 through 3, complete to 0 and 2. */
static void test_linkages_differ(void **state)
{
    (void)state;
    static const double upper[] = {0.3, 0.6, 0.4, 0.1, 0.9, 0.7};
    struct roxi_matrix s;
    struct roxi_merge merges[3];
    symmetric(&s, 4, upper);
    assert_int_equal(roxi_cluster(&s, ROXI_SINGLE, merges, NULL), 0);
    expect_merge(merges[0], 1, 3, 2, 0.9);
    expect_merge(merges[1], 4, 2, 3, 0.7);
    expect_merge(merges[2], 0, 5, 4, 0.6);
    assert_int_equal(roxi_cluster(&s, ROXI_COMPLETE, merges, NULL), 0);
    expect_merge(merges[1], 0, 2, 2, 0.6);
    expect_merge(merges[2], 5, 4, 4, 0.1);
    roxi_matrix_free(&s);
}

static void test_ties_and_cut(void **state)
{
    (void)state;
    double upper[10];
    for (size_t i = 0; i < 10; i++)
        upper[i] = 0.5;
    struct roxi_matrix s;
    struct roxi_merge merges[4];
    struct ix_error err;
    size_t cluster[5];
    symmetric(&s, 5, upper);
    assert_int_equal(roxi_cluster(&s, ROXI_AVERAGE, merges, NULL), 0);
    expect_merge(merges[0], 0, 1, 2, 0.5);
    expect_merge(merges[1], 5, 2, 3, 0.5);
    expect_merge(merges[3], 7, 4, 5, 0.5);
    static const size_t three[5] = {0, 0, 0, 1, 2}, five[5] = {0, 1, 2, 3, 4}, one[5] = {0};
    assert_int_equal(roxi_cluster_cut(merges, 5, 3, cluster, NULL), 0);
    assert_memory_equal(cluster, three, sizeof three);
    assert_int_equal(roxi_cluster_cut(merges, 5, 5, cluster, NULL), 0);
    assert_memory_equal(cluster, five, sizeof five);
    assert_int_equal(roxi_cluster_cut(merges, 5, 1, cluster, NULL), 0);
    assert_memory_equal(cluster, one, sizeof one);
    assert_int_equal(roxi_cluster_cut(merges, 5, 6, cluster, &err), -1);
    assert_string_equal(err.text, "6 clusters of 5 executions: choose 1 to 5");
    assert_int_equal(roxi_cluster_cut(merges, 5, 0, cluster, &err), -1);
    roxi_matrix_free(&s);
}

static void test_one_object(void **state)
{
    (void)state;
    struct roxi_matrix s;
    struct roxi_merge none[1];
    size_t cluster[1] = {9};
    symmetric(&s, 1, NULL);
    assert_int_equal(roxi_cluster(&s, ROXI_SINGLE, none, NULL), 0);
    assert_int_equal(roxi_cluster_cut(none, 1, 1, cluster, NULL), 0);
    assert_int_equal(cluster[0], 0);
    roxi_matrix_free(&s);
}

/* ---- against lists of members ---- */

static uint64_t random_state;

static uint64_t draw(uint64_t below)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u; /* splitmix64, by Vigna */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % below;
}

/* The linkage of the clusters that bear labels a and b. */
static double link_of(const struct roxi_matrix *s, const size_t *label, size_t a, size_t b,
                      enum roxi_linkage l)
{
    double sum = 0, least = INFINITY, most = -INFINITY, pairs = 0;
    for (size_t i = 0; i < s->n; i++) {
        for (size_t j = 0; j < s->n; j++) {
            if (label[i] != a || label[j] != b)
                continue;
            double v = *roxi_cell(s, i, j);
            sum += v;
            least = fmin(least, v);
            most = fmax(most, v);
            pairs++;
        }
    }
    return l == ROXI_SINGLE     ? most
           : l == ROXI_COMPLETE ? least
           : pairs > 0          ? sum / pairs
                                : -INFINITY;
}

/* Labels are the first members; one merge. */
static void merge_best(const struct roxi_matrix *s, size_t *label, enum roxi_linkage l)
{
    double best = -INFINITY;
    size_t keep = 0, gone = 0;
    for (size_t a = 0; a < s->n; a++) {
        for (size_t b = a + 1; b < s->n; b++) {
            double v = label[a] == a && label[b] == b ? link_of(s, label, a, b, l) : -INFINITY;
            if (v > best + 1e-12) {
                best = v;
                keep = a;
                gone = b;
            }
        }
    }
    for (size_t i = 0; i < s->n; i++)
        if (label[i] == gone)
            label[i] = keep;
}

static void check_cut(const struct roxi_merge *merges, size_t n, size_t k, const size_t *label)
{
    size_t cluster[MOST], next = 0;
    assert_int_equal(roxi_cluster_cut(merges, n, k, cluster, NULL), 0);
    for (size_t i = 0; i < n; i++) {
        if (label[i] == i)
            assert_int_equal(cluster[i], next++);
        assert_int_equal(cluster[i], cluster[label[i]]);
    }
    assert_int_equal(next, k);
}

static void test_against_members(void **state)
{
    (void)state;
    for (int round = 0; round < 300; round++) {
        size_t n = 1 + draw(MOST);
        double upper[MOST * MOST];
        uint64_t grain = round % 2 ? 8 : 1000003; /* few values: many ties */
        for (size_t i = 0; i < n * n; i++)
            upper[i] = (double)draw(grain) / (double)grain;
        struct roxi_matrix s;
        struct roxi_merge merges[MOST];
        symmetric(&s, n, upper);
        for (enum roxi_linkage l = ROXI_SINGLE; l <= ROXI_AVERAGE; l++) {
            size_t label[MOST];
            for (size_t i = 0; i < n; i++)
                label[i] = i;
            assert_int_equal(roxi_cluster(&s, l, merges, NULL), 0);
            for (size_t k = n; k >= 1; k--) {
                check_cut(merges, n, k, label);
                merge_best(&s, label, l);
            }
        }
        roxi_matrix_free(&s);
    }
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
        cmocka_unit_test(test_cosine),          cmocka_unit_test(test_idf),
        cmocka_unit_test(test_linkages),        cmocka_unit_test(test_linkages_differ),
        cmocka_unit_test(test_ties_and_cut),    cmocka_unit_test(test_one_object),
        cmocka_unit_test(test_against_members),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
