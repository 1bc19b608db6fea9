/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from a dendrogram: silhouettes, medoids, the next execution to look at, and files
 * for other programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>

#include "roxi/cluster/medoids.h"
#include "roxi/cluster/silhouette.h"
#include "roxi/evaluate/next.h"
#include "roxi/report/format_tree.h"
#include "tests/support/engine_support.h"

/* Points on a line, clustered by complete linkage: 0, 1, 3 | 10, 12 | 30. */
enum { SIX = 6 };
static const double points[SIX] = {0, 10, 1, 12, 3, 30};

static void line(const double *at, size_t n, enum roxi_linkage linkage, struct roxi_condensed *c,
                 struct roxi_dendrogram *d)
{
    assert_int_equal(roxi_condensed_new(c, n, ROXI_ON_DISTANCE), 0);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            c->cells[roxi_pair_at(n, i, j)] = fabs(at[i] - at[j]);
    assert_int_equal(roxi_cluster(c, linkage, d, NULL), 0);
}

static void release(struct roxi_condensed *c, struct roxi_dendrogram *d)
{
    roxi_condensed_free(c);
    roxi_dendrogram_free(d);
}

/* ---- silhouettes ---- */

static double plain_silhouette(const struct roxi_condensed *c, const size_t *cluster, size_t k)
{
    double total = 0;
    for (size_t i = 0; i < c->n; i++) {
        double own = 0, other = INFINITY, size = 0;
        for (size_t g = 0; g < k; g++) {
            double sum = 0, members = 0;
            for (size_t j = 0; j < c->n; j++) {
                if (j != i && cluster[j] == g) {
                    sum += roxi_apart(c, i, j);
                    members++;
                }
            }
            if (g == cluster[i]) {
                own = members > 0 ? sum / members : 0;
                size = members;
            } else if (sum / members < other) {
                other = sum / members;
            }
        }
        total += size > 0 && fmax(own, other) > 0 ? (other - own) / fmax(own, other) : 0;
    }
    return total / (double)c->n;
}

static void check_choice(const struct roxi_condensed *c, const struct roxi_dendrogram *d)
{
    size_t chosen, best = 0, *cluster = calloc(c->n, sizeof *cluster);
    double score, most = -2, last = 0;
    assert_int_equal(roxi_silhouette_choose(c, d, &chosen, &score, NULL), 0);
    for (size_t k = 2; k < c->n && k <= ROXI_SILHOUETTE_MOST; k++) {
        assert_int_equal(roxi_cluster_cut(d, k, cluster, NULL), 0);
        double now = plain_silhouette(c, cluster, k);
        if (now > most + 1e-9) {
            most = now;
            best = k;
        }
        last = k == chosen ? now : last;
    }
    if (fabs(score - most) > 1e-9 || fabs(last - most) > 1e-9)
        fail_msg("want %zu (%g), got %zu (%g)", best, most, chosen, score);
    free(cluster);
}

static void test_silhouette(void **state)
{
    (void)state;
    struct roxi_condensed c;
    struct roxi_dendrogram d;
    size_t k;
    double score;
    line(points, SIX, ROXI_COMPLETE, &c, &d);
    assert_int_equal(roxi_silhouette_choose(&c, &d, &k, &score, NULL), 0);
    assert_int_equal(k, 3);
    check_choice(&c, &d);
    c.cells[0] = -1;
    struct ix_error err = {""};
    assert_int_equal(roxi_silhouette_choose(&c, &d, &k, &score, &err), -1);
    assert_non_null(strstr(err.text, "negative"));
    release(&c, &d);
    line(points, 2, ROXI_COMPLETE, &c, &d);
    assert_int_equal(roxi_silhouette_choose(&c, &d, &k, &score, NULL), 0);
    assert_int_equal(k, 1);
    release(&c, &d);
    for (int round = 0; round < 40; round++) {
        double at[60];
        size_t n = 3 + draw(57);
        for (size_t i = 0; i < n; i++)
            at[i] = (double)draw(round % 2 ? 5 : 100000);
        line(at, n, round % 3 ? ROXI_AVERAGE : ROXI_SINGLE, &c, &d);
        check_choice(&c, &d);
        release(&c, &d);
    }
}

static void test_silhouette_of_many(void **state)
{
    (void)state;
    double at[ROXI_SILHOUETTE_MOST + 40];
    struct roxi_condensed c;
    struct roxi_dendrogram d;
    size_t k, n = sizeof at / sizeof *at;
    double score;
    for (size_t i = 0; i < n; i++)
        at[i] = (double)(i - i % 2) * 50 + (double)(i % 2); /* pairs: best at n / 2 */
    line(at, n, ROXI_AVERAGE, &c, &d);
    assert_int_equal(roxi_silhouette_choose(&c, &d, &k, &score, NULL), 0);
    assert_int_equal(k, n / 2);
    release(&c, &d);
}

/* ---- medoids, and what to look at next ---- */

static void test_medoids(void **state)
{
    (void)state;
    struct roxi_condensed c;
    struct roxi_dendrogram d;
    struct roxi_medoid m[3];
    size_t cluster[SIX];
    line(points, SIX, ROXI_COMPLETE, &c, &d);
    assert_int_equal(roxi_cluster_cut(&d, 3, cluster, NULL), 0);
    assert_int_equal(roxi_medoids(&c, cluster, 3, m), 0);
    assert_int_equal(m[0].object, 2);
    assert_int_equal(m[0].size, 3);
    assert_true(m[0].mean == 1.5);
    assert_int_equal(m[1].object, 1);
    assert_int_equal(m[2].object, 5);
    assert_true(m[2].mean == 0);
    release(&c, &d);
}

/* Three clusters. The lone one comes first, then the typical ones of the others; then a failure at
 * 10 makes its neighbour next, and then the cluster of three is split: 3 is farther off. */
static void test_next(void **state)
{
    (void)state;
    static const size_t order[SIX] = {5, 1, 3, 2, 4, 0};
    static const enum roxi_reason why[SIX] = {ROXI_NEW_CLUSTER, ROXI_NEW_CLUSTER, ROXI_NEAR_FAILURE,
                                              ROXI_NEW_CLUSTER, ROXI_NEW_CLUSTER, ROXI_NEW_CLUSTER};
    bool settled[SIX] = {false}, failed[SIX] = {false};
    struct roxi_known known = {settled, failed};
    struct roxi_condensed c;
    struct roxi_dendrogram d;
    struct roxi_next next;
    line(points, SIX, ROXI_COMPLETE, &c, &d);
    for (size_t i = 0; i < SIX; i++) {
        assert_int_equal(roxi_next(&c, &d, 3, &known, &next, NULL), 0);
        assert_int_equal(next.object, order[i]);
        assert_int_equal(next.reason, why[i]);
        settled[order[i]] = true;
        failed[order[i]] = order[i] == 1;
    }
    assert_int_equal(roxi_next(&c, &d, 3, &known, &next, NULL), 0);
    assert_int_equal(next.reason, ROXI_ALL_SETTLED);
    settled[4] = settled[0] = false;
    failed[2] = true;
    assert_int_equal(roxi_next(&c, &d, 1, &known, &next, NULL), 0);
    assert_int_equal(next.reason, ROXI_NEAR_FAILURE);
    assert_int_equal(next.object, 0);
    assert_int_equal(next.failure, 2);
    assert_int_equal(next.size, 6);
    release(&c, &d);
}

/* ---- files ---- */

static const char *const four[] = {"a-1.b", "it's (b)", "x_y", "\"q\\\xff"};

static void expect_text(FILE *f, char **text, size_t *size, const char *want)
{
    assert_int_equal(fclose(f), 0);
    assert_int_equal(*size, strlen(want));
    assert_string_equal(*text, want);
    free(*text);
}

static void test_files(void **state)
{
    (void)state;
    static const double at[4] = {0, 7, 1, 15}; /* 0 and 2 at 1, with 1 at 7, with 3 at 15 */
    struct roxi_condensed c;
    struct roxi_dendrogram d;
    char *text;
    size_t size;
    line(at, 4, ROXI_COMPLETE, &c, &d);
    FILE *f = open_memstream(&text, &size);
    assert_int_equal(roxi_write_newick(f, &d, four, NULL), 0);
    expect_text(f, &text, &size, "(((a-1.b:1,'x_y':1):6,'it''s (b)':7):8,'\"q\\\xff':15);\n");
    f = open_memstream(&text, &size);
    assert_int_equal(roxi_write_rhclust(f, &d, four, "complete", "distance", NULL), 0);
    expect_text(f, &text, &size,
                "\"merge\":[[-1,-3],[-2,1],[-4,2]],\n\"height\":[1,7,15],\n\"order\":[4,2,1,3],\n"
                "\"labels\":[\"a-1.b\",\"it's (b)\",\"x_y\",\"\\\"q\\\\\\ufffd\"],\n"
                "\"method\":\"complete\",\"dist.method\":\"distance\"");
    f = open_memstream(&text, &size);
    assert_int_equal(roxi_write_cluto_tree(f, &d, ROXI_ON_COSINE, NULL), 0);
    expect_text(f, &text, &size, "4 0 0\n5 0 0\n4 0 0\n6 0 0\n5 0 0\n6 -6 -6\n-1 -14 -14\n");
    f = open_memstream(&text, &size);
    roxi_write_linkage(f, &d);
    assert_int_equal(fclose(f), 0);
    static const double z[12] = {0, 2, 1, 2, 1, 4, 7, 3, 3, 5, 15, 4};
    assert_int_equal(size, 128 + sizeof z);
    assert_memory_equal(text + 128, z, sizeof z);
    assert_non_null(strstr(text + 10, "'shape': (3, 4)"));
    free(text);
    release(&c, &d);
}

/* A chain of 20,000 merges needs no stack of function calls; one execution is a tree, too. */
static void test_deep_and_lone(void **state)
{
    (void)state;
    enum { DEEP = 20000 };
    struct roxi_merge *merges = calloc(DEEP, sizeof *merges);
    const char **labels = calloc(DEEP, sizeof *labels);
    struct roxi_dendrogram d = {.n = DEEP, .merges = merges};
    char *text;
    size_t size;
    for (size_t i = 0; i < DEEP; i++)
        labels[i] = "x";
    for (size_t i = 0; i + 1 < DEEP; i++)
        merges[i] = (struct roxi_merge){i ? DEEP + i - 1 : 0, i + 1, (double)i, i + 2};
    FILE *f = open_memstream(&text, &size);
    assert_int_equal(roxi_write_newick(f, &d, labels, NULL), 0);
    assert_int_equal(fclose(f), 0);
    assert_true(size > 5 * DEEP && text[0] == '(');
    free(text);
    d.n = 1;
    f = open_memstream(&text, &size);
    assert_int_equal(roxi_write_newick(f, &d, labels, NULL), 0);
    assert_int_equal(roxi_write_cluto_tree(f, &d, ROXI_ON_DISTANCE, NULL), 0);
    expect_text(f, &text, &size, "x;\n-1 0 0\n");
    free(merges);
    free(labels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_silhouette), cmocka_unit_test(test_silhouette_of_many),
        cmocka_unit_test(test_medoids),    cmocka_unit_test(test_next),
        cmocka_unit_test(test_files),      cmocka_unit_test(test_deep_and_lone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
