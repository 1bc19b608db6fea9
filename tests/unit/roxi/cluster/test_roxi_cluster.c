/* SPDX-License-Identifier: Apache-2.0 */
/* Agglomerative clustering: small numbers worked out by hand, and dendrograms against one that
 * looks at the members of all pairs of clusters before each merge, with few different distances, so
 * that most are equal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>

#include "roxi/cluster/cluster.h"
#include "tests/support/engine_support.h"

enum { MOST = 40 };

static void assert_near(double got, double want)
{
    if (!(fabs(got - want) < 1e-10))
        fail_msg("want %.17g, got %.17g", want, got);
}

static void condensed(struct roxi_condensed *c, size_t n, enum roxi_measure measure,
                      const double *upper)
{
    assert_int_equal(roxi_condensed_new(c, n, measure), 0);
    for (size_t i = 0; i < roxi_condensed_cells(c); i++)
        c->cells[i] = upper[i];
}

static void expect_merge(struct roxi_merge m, size_t a, size_t b, size_t size, double height)
{
    assert_int_equal(m.a, a);
    assert_int_equal(m.b, b);
    assert_int_equal(m.size, size);
    assert_near(m.height, height);
}

static void test_linkages(void **state)
{
    (void)state;
    static const double upper[] = {0.1, 0.9, 0.8, 0.5, 0.7, 0.2};
    static const double last[] = {0.5, 0.9, (0.9 + 0.8 + 0.5 + 0.7) / 4};
    struct roxi_condensed c;
    struct roxi_dendrogram d;
    condensed(&c, 4, ROXI_ON_COSINE, upper);
    for (enum roxi_linkage l = ROXI_SINGLE; l <= ROXI_AVERAGE; l++) {
        assert_int_equal(roxi_cluster(&c, l, &d, NULL), 0);
        expect_merge(d.merges[0], 0, 1, 2, 0.1);
        expect_merge(d.merges[1], 2, 3, 2, 0.2);
        expect_merge(d.merges[2], 4, 5, 4, last[l]);
        assert_int_equal(roxi_cluster_count_at(&d, 0), 4);
        assert_int_equal(roxi_cluster_count_at(&d, 0.1), 3);
        assert_int_equal(roxi_cluster_count_at(&d, 0.3), 2);
        assert_int_equal(roxi_cluster_count_at(&d, 2), 1);
        roxi_dendrogram_free(&d);
    }
    roxi_condensed_free(&c);
}

/* 1 joins 3 first; then single goes on to 2 through 3, complete to 0 and 2. */
static void test_linkages_differ(void **state)
{
    (void)state;
    static const double upper[] = {0.7, 0.4, 0.6, 0.9, 0.1, 0.3};
    struct roxi_condensed c;
    struct roxi_dendrogram d;
    condensed(&c, 4, ROXI_ON_COSINE, upper);
    assert_int_equal(roxi_cluster(&c, ROXI_SINGLE, &d, NULL), 0);
    expect_merge(d.merges[0], 1, 3, 2, 0.1);
    expect_merge(d.merges[1], 4, 2, 3, 0.3);
    expect_merge(d.merges[2], 0, 5, 4, 0.4);
    roxi_dendrogram_free(&d);
    assert_int_equal(roxi_cluster(&c, ROXI_COMPLETE, &d, NULL), 0);
    expect_merge(d.merges[1], 0, 2, 2, 0.4);
    expect_merge(d.merges[2], 5, 4, 4, 0.9);
    roxi_dendrogram_free(&d);
    roxi_condensed_free(&c);
}

/* Points 0, 2, 7, 10 on a line. 0 and 2 are at 2; 7 and 10 at 3; the centres 1 and 8.5 are 7.5
 * apart: sqrt(2 * 2 * 2 / 4) times that. With cells that are half of a squared distance the same.
 */
static void test_ward(void **state)
{
    (void)state;
    static const double upper[] = {2, 7, 10, 5, 8, 3};
    double halves[6];
    struct roxi_condensed c;
    struct roxi_dendrogram d;
    for (size_t i = 0; i < 6; i++)
        halves[i] = upper[i] * upper[i] / 2;
    for (int measure = ROXI_ON_COSINE; measure <= ROXI_ON_DISTANCE; measure++) {
        condensed(&c, 4, (enum roxi_measure)measure, measure == ROXI_ON_COSINE ? halves : upper);
        assert_int_equal(roxi_cluster(&c, ROXI_WARD, &d, NULL), 0);
        expect_merge(d.merges[0], 0, 1, 2, 2);
        expect_merge(d.merges[1], 2, 3, 2, 3);
        expect_merge(d.merges[2], 4, 5, 4, sqrt(2) * 7.5);
        roxi_dendrogram_free(&d);
        roxi_condensed_free(&c);
    }
    static const double negative[] = {-1};
    struct ix_error err = {""};
    condensed(&c, 2, ROXI_ON_DISTANCE, negative);
    assert_int_equal(roxi_cluster(&c, ROXI_WARD, &d, &err), -1);
    assert_non_null(strstr(err.text, "negative"));
    assert_int_equal(roxi_cluster(&c, ROXI_AVERAGE, &d, &err), 0);
    expect_merge(d.merges[0], 0, 1, 2, -1);
    roxi_dendrogram_free(&d);
    roxi_condensed_free(&c);
}

static void test_ties_and_cut(void **state)
{
    (void)state;
    double upper[10];
    for (size_t i = 0; i < 10; i++)
        upper[i] = 0.5;
    struct roxi_condensed c;
    struct roxi_dendrogram d;
    struct ix_error err;
    size_t cluster[5];
    condensed(&c, 5, ROXI_ON_COSINE, upper);
    assert_int_equal(roxi_cluster(&c, ROXI_AVERAGE, &d, NULL), 0);
    expect_merge(d.merges[0], 0, 1, 2, 0.5);
    expect_merge(d.merges[1], 5, 2, 3, 0.5);
    expect_merge(d.merges[3], 7, 4, 5, 0.5);
    static const size_t three[5] = {0, 0, 0, 1, 2}, five[5] = {0, 1, 2, 3, 4}, one[5] = {0};
    assert_int_equal(roxi_cluster_cut(&d, 3, cluster, NULL), 0);
    assert_memory_equal(cluster, three, sizeof three);
    assert_int_equal(roxi_cluster_cut(&d, 5, cluster, NULL), 0);
    assert_memory_equal(cluster, five, sizeof five);
    assert_int_equal(roxi_cluster_cut(&d, 1, cluster, NULL), 0);
    assert_memory_equal(cluster, one, sizeof one);
    assert_int_equal(roxi_cluster_cut(&d, 6, cluster, &err), -1);
    assert_string_equal(err.text, "6 clusters of 5 runs: choose 1 to 5");
    assert_int_equal(roxi_cluster_cut(&d, 0, cluster, &err), -1);
    roxi_dendrogram_free(&d);
    roxi_condensed_free(&c);
}

static void test_one_object(void **state)
{
    (void)state;
    struct roxi_condensed c;
    struct roxi_dendrogram d;
    size_t cluster[1] = {9};
    condensed(&c, 1, ROXI_ON_COSINE, NULL);
    for (enum roxi_linkage l = ROXI_SINGLE; l <= ROXI_WARD; l++) {
        assert_int_equal(roxi_cluster(&c, l, &d, NULL), 0);
        assert_int_equal(roxi_cluster_cut(&d, 1, cluster, NULL), 0);
        assert_int_equal(cluster[0], 0);
        assert_int_equal(roxi_cluster_count_at(&d, 0), 1);
        roxi_dendrogram_free(&d);
    }
    roxi_condensed_free(&c);
}

/* ---- against lists of members ---- */

/* A linkage as above / below, in whole cells. */
struct fraction {
    int64_t above, below;
};

static int64_t whole(const struct roxi_condensed *c, size_t i, size_t j)
{
    return i == j ? 0 : (int64_t)(roxi_apart(c, i, j));
}

static struct fraction ward_of(const struct roxi_condensed *c, const size_t *label, size_t a,
                               size_t b)
{
    int64_t between = 0, in_a = 0, in_b = 0, of_a = 0, of_b = 0;
    for (size_t i = 0; i < c->n; i++) {
        of_a += label[i] == a;
        of_b += label[i] == b;
        for (size_t j = 0; j < c->n; j++) {
            int64_t v = whole(c, i, j);
            between += label[i] == a && label[j] == b ? v : 0;
            in_a += label[i] == a && label[j] == a ? v : 0;
            in_b += label[i] == b && label[j] == b ? v : 0;
        }
    }
    return (struct fraction){2 * between * of_a * of_b - in_a * of_b * of_b - in_b * of_a * of_a,
                             2 * of_a * of_b * (of_a + of_b)};
}

/* The linkage of the clusters that bear labels a and b. */
static struct fraction link_of(const struct roxi_condensed *c, const size_t *label, size_t a,
                               size_t b, enum roxi_linkage l)
{
    struct fraction sum = {0, 0}, least = {INT64_MAX, 1}, most = {INT64_MIN, 1};
    for (size_t i = 0; i < c->n; i++) {
        for (size_t j = 0; j < c->n; j++) {
            if (label[i] != a || label[j] != b)
                continue;
            int64_t v = whole(c, i, j);
            sum.above += v;
            sum.below++;
            least.above = v < least.above ? v : least.above;
            most.above = v > most.above ? v : most.above;
        }
    }
    return l == ROXI_SINGLE     ? least
           : l == ROXI_COMPLETE ? most
           : l == ROXI_AVERAGE  ? sum
                                : ward_of(c, label, a, b);
}

/* Labels are the first members; one merge, and what dendrogram it should be in. */
static void merge_best(const struct roxi_condensed *c, size_t *label, enum roxi_linkage l,
                       struct roxi_merge got, size_t *name, size_t new_name)
{
    struct fraction best = {0, 0};
    size_t keep = 0, gone = 0, size = 0;
    for (size_t a = 0; a < c->n; a++) {
        for (size_t b = a + 1; b < c->n && label[a] == a; b++) {
            if (label[b] != b)
                continue;
            struct fraction v = link_of(c, label, a, b, l);
            if (!best.below || v.above * best.below < best.above * v.below) {
                best = v;
                keep = a;
                gone = b;
            }
        }
    }
    for (size_t i = 0; i < c->n; i++) {
        if (label[i] == gone)
            label[i] = keep;
        size += label[i] == keep;
    }
    double height = (double)best.above / (double)best.below;
    expect_merge(got, name[keep], name[gone], size, l == ROXI_WARD ? sqrt(4 * height) : height);
    name[keep] = new_name;
}

static void check_cut(const struct roxi_dendrogram *d, size_t k, const size_t *label)
{
    size_t cluster[MOST], next = 0;
    assert_int_equal(roxi_cluster_cut(d, k, cluster, NULL), 0);
    for (size_t i = 0; i < d->n; i++) {
        if (label[i] == i)
            assert_int_equal(cluster[i], next++);
        assert_int_equal(cluster[i], cluster[label[i]]);
    }
    assert_int_equal(next, k);
}

static void check_all_merges(const struct roxi_condensed *c, enum roxi_linkage l)
{
    size_t label[MOST], name[MOST];
    struct roxi_dendrogram d;
    for (size_t i = 0; i < c->n; i++)
        label[i] = name[i] = i;
    assert_int_equal(roxi_cluster(c, l, &d, NULL), 0);
    for (size_t i = 0; i + 1 < c->n; i++) {
        check_cut(&d, c->n - i, label);
        merge_best(c, label, l, d.merges[i], name, c->n + i);
        assert_true(i == 0 || d.merges[i].height >= d.merges[i - 1].height);
    }
    check_cut(&d, 1, label);
    roxi_dendrogram_free(&d);
}

/* Cells are whole numbers, of which the engine's unit is a part: it must be exact. */
static void test_against_members(void **state)
{
    (void)state;
    static const uint64_t grains[] = {2, 3, 8, 1000};
    for (int round = 0; round < (INSTRUMENTED ? 100 : 400); round++) {
        struct roxi_condensed c;
        size_t n = 1 + draw(round % 20 ? 14 : MOST);
        assert_int_equal(roxi_condensed_new(&c, n, ROXI_ON_COSINE), 0);
        for (size_t i = 0; i < roxi_condensed_cells(&c); i++)
            c.cells[i] = (double)draw(grains[round % 4]);
        for (enum roxi_linkage l = ROXI_SINGLE; l <= ROXI_WARD; l++)
            check_all_merges(&c, l);
        roxi_condensed_free(&c);
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
        cmocka_unit_test(test_linkages),   cmocka_unit_test(test_linkages_differ),
        cmocka_unit_test(test_ward),       cmocka_unit_test(test_ties_and_cut),
        cmocka_unit_test(test_one_object), cmocka_unit_test(test_against_members),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
