/* SPDX-License-Identifier: Apache-2.0 */
/* How many executions are looked at: small numbers worked out by hand, and all orders of small
 * campaigns one by one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "roxi/evaluate/inspection_effort.h"

static void near(const char *what, double want, double got)
{
    if (!(fabs(want - got) < 1e-9))
        fail_msg("%s: want %.12g, got %.12g", what, want, got);
}

static void test_ranked(void **state)
{
    (void)state;
    static const double score[] = {1, 9, 3, 7, 5};
    static const bool failed[] = {false, true, true, false, false};
    struct roxi_inspection_effort e;
    assert_int_equal(roxi_inspection_effort_ranked(score, failed, 5, &e), 0);
    near("all", 4, e.all); /* 9, 7, 5, 3 */
    near("ninety", 4, e.ninety);
    near("precision", (1.0 / 1 + 2.0 / 4) / 2, e.precision);
    double reached[3];
    assert_int_equal(roxi_inspection_effort_ranked_curve(score, failed, 5, reached), 0);
    near("none", 0, reached[0]);
    near("the first", 1, reached[1]);
    near("both", 4, reached[2]);
}

/* 11 failures first: nine tenths of them, rounded up, are ten. */
static void test_ninety(void **state)
{
    (void)state;
    double score[30];
    bool failed[30];
    struct roxi_inspection_effort e;
    for (int i = 0; i < 30; i++) {
        score[i] = -i;
        failed[i] = i < 10 || i == 29;
    }
    assert_int_equal(roxi_inspection_effort_ranked(score, failed, 30, &e), 0);
    near("all", 30, e.all);
    near("ninety", 10, e.ninety);
}

/* A tie of three with one failure: it is at 2, 3 or 4, each as likely. */
static void test_ties(void **state)
{
    (void)state;
    static const double score[] = {9, 5, 5, 5, 1};
    static const bool failed[] = {true, false, true, false, false};
    struct roxi_inspection_effort e;
    assert_int_equal(roxi_inspection_effort_ranked(score, failed, 5, &e), 0);
    near("all", 3, e.all);
    near("precision", (1 + (2.0 / 2 + 2.0 / 3 + 2.0 / 4) / 3) / 2, e.precision);
    double reached[3];
    assert_int_equal(roxi_inspection_effort_ranked_curve(score, failed, 5, reached), 0);
    near("before the tie", 1, reached[1]);
    near("in it", 3, reached[2]);
    roxi_inspection_effort_random_curve(5, 2, reached);
    near("none", 0, reached[0]);
    near("one of two", 6 / 3.0, reached[1]);
    near("both", 2 * 6 / 3.0, reached[2]);
    static const double equal[5] = {0};
    const struct roxi_inspection_effort random = roxi_inspection_effort_random(5, 2);
    assert_int_equal(roxi_inspection_effort_ranked(equal, failed, 5, &e), 0);
    near("random, all", 2 * 6 / 3.0, e.all);
    near("random, all", random.all, e.all);
    near("random, precision", random.precision, e.precision);
}

/* ---- adaptive sampling against all orders ---- */

enum { MOST = 7, MOST_CLUSTERS = 4 };

struct trial {
    const struct roxi_labelled *labelled;
    enum roxi_visit visit;
    size_t size[MOST_CLUSTERS], target;
    size_t order[MOST], visits[MOST_CLUSTERS]; /* executions; clusters */
    double looked, trials;
};

/* How many are looked at until the target is reached, for these orders; what is left when all
 * clusters have been looked into has an order of its own, in the mean. */
static double inspect(const struct trial *t)
{
    const struct roxi_labelled *l = t->labelled;
    size_t looked = 0, found = 0, failures = 0;
    for (size_t c = 0; c < l->k; c++) {
        bool first = true, all = false;
        for (size_t i = 0; i < l->n; i++) {
            const size_t e = t->order[i];
            if (l->cluster[e] != t->visits[c] || !(first || all))
                continue;
            all |= first && l->failed[e];
            first = false;
            looked++;
            found += l->failed[e];
            if (found == t->target)
                return (double)looked;
        }
    }
    for (size_t i = 0; i < l->n; i++)
        failures += l->failed[i];
    return (double)looked + (double)(t->target - found) * (double)(l->n - looked + 1) /
                                (double)(failures - found + 1);
}

static bool in_order_of_size(const struct trial *t)
{
    for (size_t c = 1; c < t->labelled->k; c++)
        if (t->size[t->visits[c - 1]] > t->size[t->visits[c]])
            return false;
    return true;
}

static void swap(size_t *a, size_t *b)
{
    const size_t kept = *a;
    *a = *b;
    *b = kept;
}

static void each_order(struct trial *t, size_t from)
{
    if (from == t->labelled->n) {
        t->looked += inspect(t);
        t->trials++;
        return;
    }
    for (size_t i = from; i < t->labelled->n; i++) {
        swap(&t->order[from], &t->order[i]);
        each_order(t, from + 1);
        swap(&t->order[from], &t->order[i]);
    }
}

static void each_visit(struct trial *t, size_t from)
{
    if (from == t->labelled->k) {
        if (t->visit == ROXI_VISIT_RANDOM || in_order_of_size(t))
            each_order(t, 0);
        return;
    }
    for (size_t i = from; i < t->labelled->k; i++) {
        swap(&t->visits[from], &t->visits[i]);
        each_visit(t, from + 1);
        swap(&t->visits[from], &t->visits[i]);
    }
}

static double mean_over_orders(const struct roxi_labelled *l, enum roxi_visit visit, size_t target)
{
    struct trial t = {.labelled = l, .visit = visit, .target = target};
    for (size_t i = 0; i < l->n; i++) {
        t.order[i] = i;
        t.size[l->cluster[i]]++;
    }
    for (size_t c = 0; c < l->k; c++)
        t.visits[c] = c;
    each_visit(&t, 0);
    return t.looked / t.trials;
}

static void test_adaptive(void **state)
{
    (void)state;
    static const struct {
        size_t n, k;
        size_t cluster[MOST];
        bool failed[MOST];
    } cases[] = {
        {1, 1, {0}, {true}},
        {4, 1, {0, 0, 0, 0}, {false, true, false, true}},
        {4, 4, {0, 1, 2, 3}, {false, true, false, false}},
        {6, 3, {0, 0, 1, 1, 1, 2}, {true, true, false, true, false, false}},
        {7, 3, {0, 0, 0, 1, 1, 2, 2}, {true, false, false, true, false, false, true}},
        {7, 4, {0, 1, 2, 2, 3, 3, 3}, {true, false, false, true, true, true, false}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct roxi_labelled l = {cases[i].n, cases[i].k, cases[i].cluster, cases[i].failed};
        size_t failures = 0;
        for (size_t e = 0; e < l.n; e++)
            failures += l.failed[e];
        for (enum roxi_visit v = ROXI_VISIT_RANDOM; v <= ROXI_VISIT_SMALL; v++) {
            struct roxi_inspection_effort e;
            assert_int_equal(roxi_inspection_effort_adaptive(&l, v, &e), 0);
            near("all", mean_over_orders(&l, v, failures), e.all);
            near("ninety", mean_over_orders(&l, v, failures - failures / 10), e.ninety);
            assert_true(isnan(e.precision));
            double reached[MOST + 1];
            assert_int_equal(roxi_inspection_effort_adaptive_curve(&l, v, reached), 0);
            near("none", 0, reached[0]);
            for (size_t found = 1; found <= failures; found++)
                near("so many", mean_over_orders(&l, v, found), reached[found]);
        }
    }
}

/* Each execution a cluster: as many looks as in random order, however many there are (and however
 * high the degree of what is integrated). One cluster: a failure first, or the rest at random. */
static void test_extremes(void **state)
{
    (void)state;
    enum { N = 400, FAILURES = 150 };
    size_t *cluster = calloc(N, sizeof *cluster);
    bool *failed = calloc(N, sizeof *failed);
    struct roxi_inspection_effort e;
    for (size_t i = 0; i < N; i++) {
        cluster[i] = i;
        failed[i] = i < FAILURES;
    }
    const struct roxi_inspection_effort random = roxi_inspection_effort_random(N, FAILURES);
    struct roxi_labelled l = {N, N, cluster, failed};
    for (enum roxi_visit v = ROXI_VISIT_RANDOM; v <= ROXI_VISIT_SMALL; v++) {
        assert_int_equal(roxi_inspection_effort_adaptive(&l, v, &e), 0);
        near("lone ones", random.all, e.all);
        near("90 % of them", random.ninety, e.ninety);
    }
    memset(cluster, 0, N * sizeof *cluster);
    l.k = 1;
    assert_int_equal(roxi_inspection_effort_adaptive(&l, ROXI_VISIT_RANDOM, &e), 0);
    near("one cluster", random.all, e.all);
    free(cluster);
    free(failed);
}

static void test_small(void **state)
{
    (void)state;
    static const size_t cluster[] = {0, 0, 0, 1, 2, 2};
    static const bool failed[] = {true, false, false, false, true, false};
    const struct roxi_labelled l = {6, 3, cluster, failed};
    struct roxi_inspection_effort e;
    assert_int_equal(roxi_inspection_effort_small(&l, &e), 0);
    near("all", 1 + 2 + 2, e.all); /* the second of three, in the mean */
    double reached[3];
    assert_int_equal(roxi_inspection_effort_small_curve(&l, reached), 0);
    near("the first, one of two", 1 + 1.5, reached[1]);
    near("both", 1 + 2 + 2, reached[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranked),   cmocka_unit_test(test_ninety),
        cmocka_unit_test(test_ties),     cmocka_unit_test(test_adaptive),
        cmocka_unit_test(test_extremes), cmocka_unit_test(test_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
