/* SPDX-License-Identifier: Apache-2.0 */
/* Distances between call stacks against other people's programs, where their libraries are
 * installed (make deps-peers): gap against parasail, Levenshtein against edlib, equal to the last
 * integer. The fast kernels are held to the same reference in test_roxi_engine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "peers.h"
#include "roxi/distance/distance.h"
#include "tests/support/engine_support.h"
#ifdef HAVE_EDLIB
#include <edlib.h>
#endif
#ifdef HAVE_PARASAIL
#include <parasail.h>
#endif

#if defined HAVE_EDLIB || defined HAVE_PARASAIL
/* Letters from 0 to z: behind '*', which means any to parasail. */
enum { LETTERS = 75, DEEPEST = 140 };

struct pair {
    char x[DEEPEST], y[DEEPEST];
    size_t m, n;
};

static char letter(unsigned variety)
{
    return (char)('0' + draw(variety));
}

/* y: x with some letters changed, left out and put in, or letters of its own. None is empty, of
 * which parasail has no distance. */
static void make_pair(struct pair *p)
{
    static const unsigned varieties[] = {2, 4, 20, LETTERS};
    const unsigned variety = varieties[draw(4)];
    const size_t most = draw(8) ? 40 : DEEPEST;
    const bool own = draw(5) == 0;
    p->m = 1 + draw(most);
    p->n = 0;
    for (size_t i = 0; i < p->m; i++)
        p->x[i] = letter(variety);
    const size_t want = own ? 1 + draw(most) : most;
    for (size_t i = 0; p->n < want && (own || i < p->m); i++) {
        if (!own && draw(9) == 0)
            i += draw(4); /* leaves a gap */
        const bool other = own || i >= p->m || draw(9) == 0;
        p->y[p->n++] = other ? letter(variety) : p->x[i];
    }
}

static double distance(const char *strategy, const struct pair *p)
{
    struct roxi_distance d;
    uint32_t x[DEEPEST], y[DEEPEST];
    for (size_t i = 0; i < p->m; i++)
        x[i] = (uint32_t)p->x[i];
    for (size_t i = 0; i < p->n; i++)
        y[i] = (uint32_t)p->y[i];
    const struct roxi_strategy *s = roxi_strategy_find(strategy);
    assert_int_equal(roxi_distance_init(&d, s, NULL, 1, DEEPEST, NULL), 0);
    const double result = roxi_distance(&d, x, p->m, y, p->n);
    roxi_distance_release(&d);
    return result;
}

/* Compares 20,000 pairs. */
static void check_peer(const char *strategy, double (*theirs)(const struct pair *p))
{
    enum { PAIRS = INSTRUMENTED ? 2000 : 20000 };
    begin_random(strategy, 3141);
    for (int i = 0; i < PAIRS; i++) {
        struct pair p;
        make_pair(&p);
        const double got = distance(strategy, &p), want = theirs(&p);
        if (got != want)
            fail_msg("%s of %.*s and %.*s: want %g, got %g", strategy, (int)p.m, p.x, (int)p.n, p.y,
                     want, got);
    }
}
#endif

#ifdef HAVE_EDLIB
static double edlib_distance(const struct pair *p)
{
    EdlibAlignResult r = edlibAlign(p->x, (int)p->m, p->y, (int)p->n, edlibDefaultAlignConfig());
    assert_int_equal(r.status, EDLIB_STATUS_OK);
    const double result = r.editDistance;
    edlibFreeAlignResult(r);
    return result;
}
#endif

static void test_levenshtein_against_edlib(void **state)
{
    (void)state;
#ifdef HAVE_EDLIB
    check_peer("levenshtein", edlib_distance);
#else
    skip(); /* not installed */
#endif
}

#ifdef HAVE_PARASAIL
static parasail_matrix_t *letters_differ; /* 0 for the same, -1 for others */

static double parasail_distance(const struct pair *p)
{
    parasail_result_t *r =
        parasail_nw_scan_32(p->x, (int)p->m, p->y, (int)p->n, 3, 1, letters_differ);
    assert_non_null(r);
    const double result = -parasail_result_get_score(r);
    parasail_result_free(r);
    return result;
}
#endif

static void test_gap_against_parasail(void **state)
{
    (void)state;
#ifdef HAVE_PARASAIL
    char alphabet[LETTERS + 1] = {0};
    for (int i = 0; i < LETTERS; i++)
        alphabet[i] = (char)('0' + i);
    letters_differ = parasail_matrix_create_case_sensitive(alphabet, 0, -1);
    assert_non_null(letters_differ);
    check_peer("gap", parasail_distance);
    parasail_matrix_free(letters_differ);
#else
    skip(); /* not installed */
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levenshtein_against_edlib),
        cmocka_unit_test(test_gap_against_parasail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
