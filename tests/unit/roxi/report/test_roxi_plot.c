/* SPDX-License-Identifier: Apache-2.0 */
/* Plots: round numbers at axes, texts that may hold anything, and that nothing is drawn outside of
 * its place. Whether it is XML, and shows the right numbers, is for tests/e2e/roxi/roxi_plots.sh.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>

#include "roxi/campaign/tally.h"
#include "roxi/report/plot.h"
#include "tests/support/engine_support.h"

/* ---- texts ---- */

static char *escaped(const char *text, size_t most)
{
    char *written;
    size_t size;
    FILE *out = open_memstream(&written, &size);
    assert_non_null(out);
    roxi_svg_escape(out, text, most);
    assert_int_equal(fclose(out), 0);
    return written;
}

static void test_escape(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t most;
        const char *want;
    } cases[] = {
        {"run0001", 0, "run0001"},
        {"", 0, ""},
        {"</text><script>", 0, "&lt;/text&gt;&lt;script&gt;"},
        {"a&b \"c\" 'd'", 0, "a&amp;b &quot;c&quot; &#39;d&#39;"},
        {"]]>", 0, "]]&gt;"},
        {"a\x01\x1b[31m\nb\x7f", 0, "a\\x01\\x1B[31m\\x0Ab\\x7F"},
        {"\xff\xc3", 0, "\\xFF\\xC3"},
        {"Zürich", 0, "Zürich"},
        {"\xED\xA0\x80", 0, "\\xED\\xA0\\x80"}, /* a surrogate */
        {"\xEF\xBF\xBE\xEF\xBF\xBF", 0, "\\uFFFE\\uFFFF"},
        {"\xE2\x80\xAEx", 0, "\\u202Ex"}, /* turns the direction of writing */
        {"\xC2\x85", 0, "\\u0085"},
        {"123456", 6, "123456"},
        {"1234567", 6, "12345…"},
        {"<<<<<<<", 3, "&lt;&lt;…"},
        {"日本語", 6, "日本語"}, /* two columns each */
        {"日本語", 5, "日本…"},
        {"ab\x01", 4, "ab…"}, /* an escape is not cut in two */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *got = escaped(cases[i].text, cases[i].most);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("case %zu: want %s, got %s", i, cases[i].want, got);
        free(got);
    }
    assert_int_equal(roxi_svg_columns("aü日\x01"), 1 + 1 + 2 + 4);
}

/* ---- axes ---- */

static void test_ticks(void **state)
{
    (void)state;
    static const struct {
        double from, to;
        size_t most;
        bool whole;
        double first, step;
        size_t count;
    } cases[] = {
        {0, 100, 6, false, 0, 20, 6},      {0, 292, 10, true, 0, 50, 6},
        {0, 10, 10, false, 0, 1, 11},      {0, 3, 10, true, 0, 1, 4},
        {0, 3, 10, false, 0, 0.5, 7},      {-0.3, 62.49, 6, false, 0, 20, 4},
        {-7, 7, 6, false, -1, 5, 3},       {2, 3, 10, true, 2, 1, 2},
        {0, 1e-17, 5, false, 0, 2e-18, 6}, {0, 1e17, 5, false, 0, 2e16, 6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct roxi_scale s = roxi_scale_make(cases[i].from, cases[i].to, 0, 100);
        const struct roxi_ticks t = roxi_ticks_of(&s, cases[i].most, cases[i].whole);
        if (t.first != cases[i].first || fabs(t.step / cases[i].step - 1) > 1e-12 ||
            t.count != cases[i].count)
            fail_msg("case %zu: %g, %g, %zu", i, t.first, t.step, t.count);
    }
}

/* Any range: no more ticks than asked for, as many as half of that or so, all within. */
static void test_ticks_of_any(void **state)
{
    (void)state;
    begin_random("ticks", 11);
    for (int round = 0; round < 20000; round++) {
        const double size = pow(10, (double)draw(600) / 10 - 30);
        const double from = ((double)draw(2001) - 1000) / 1000 * size;
        const double to = from + (1 + (double)draw(1000)) / 1000 * size;
        const size_t most = 4 + draw(8);
        const struct roxi_scale s = roxi_scale_make(from, to, 60, 780);
        const struct roxi_ticks t = roxi_ticks_of(&s, most, false);
        if (t.count > most + 1 || 5 * (t.count + 1) < 2 * most)
            fail_msg("%g to %g: %zu of %zu", from, to, t.count, most);
        for (size_t i = 0; i < t.count; i++) {
            const double value = (t.first + (double)i) * t.step;
            assert_true(value >= from - t.step * 1e-6 && value <= to + t.step * 1e-6);
        }
    }
}

static void test_scale(void **state)
{
    (void)state;
    struct roxi_scale s = roxi_scale_make(10, 20, 400, 60);
    assert_true(roxi_scale_at(&s, 10) == 400 && roxi_scale_at(&s, 20) == 60);
    assert_true(roxi_scale_at(&s, 15) == 230);
    assert_true(roxi_scale_at(&s, -DBL_MAX) == 400 && roxi_scale_at(&s, INFINITY) == 60);
    assert_true(roxi_scale_at(&s, NAN) == 400);
    s = roxi_scale_make(5, 5, 0, 100); /* all the same */
    assert_true(s.to > s.from && roxi_scale_at(&s, 5) == 0);
    s = roxi_scale_make(1e300, 1e300, 0, 100);
    assert_true(s.to > s.from);
}

/* ---- names ---- */

static void test_name(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"camp", "camp"},
        {"bully/campaign", "bully/campaign"},
        {"a/bully/campaign///", "bully/campaign"},
        {"/camp", "camp"},
        {"../camp", "camp"},
        {"./camp/", "camp"},
        {"/", "/"},
        {"a//b", "a//b"},
        {".", "."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t len;
        const char *name = roxi_plot_name(cases[i][0], &len);
        if (len != strlen(cases[i][1]) || strncmp(name, cases[i][1], len) != 0)
            fail_msg("%s: %.*s", cases[i][0], (int)len, name);
    }
}

/* ---- whole plots ---- */

enum { MOST_RUNS = 600 };

struct fixture {
    struct roxi_profiles *profiles;
    struct roxi_verdict verdicts[MOST_RUNS];
    bool failed[MOST_RUNS];
    size_t failures;
    struct roxi_origin origin;
};

/* n executions with names that are hard to bear; each `every`-th has failed. */
static void make(struct fixture *f, size_t n, size_t every)
{
    static const char campaign[] = "a/<camp> & \"co\"\x01";
    const struct roxi_tally none = {0};
    *f = (struct fixture){.profiles = roxi_profiles_new()};
    assert_non_null(f->profiles);
    for (size_t i = 0; i < n; i++) {
        char name[64];
        snprintf(name, sizeof name, "%zu </svg> & \x02\xff '\"", i);
        assert_int_equal(roxi_profiles_add(f->profiles, name, &none, NULL), 0);
        f->failed[i] = i % every == 0;
        f->failures += f->failed[i];
        f->verdicts[i].verdict = f->failed[i] ? IX_VERDICT_FAILED
                                 : i % 7      ? IX_VERDICT_PASSED
                                              : IX_VERDICT_UNKNOWN;
    }
    f->origin = (struct roxi_origin){.campaign = campaign, .profiles = f->profiles};
}

static void release(struct fixture *f)
{
    roxi_profiles_free(f->profiles);
}

/* Where a number of an attribute begins, as in ` x="`; each once. NULL: there is no further one. */
static const char *next_number(const char *at, const char *name)
{
    at = strstr(at, name);
    return at ? at + strlen(name) : NULL;
}

static void within(const char *drawing, const char *name, double from, double to)
{
    for (const char *at = drawing; (at = next_number(at, name));) {
        const double number = strtod(at, NULL);
        if (!(number >= from && number <= to))
            fail_msg("%s%g is not between %g and %g", name, number, from, to);
    }
}

/* All circles, lines and texts are on the sheet, and curves in its area, which begins at `left`. */
static void check_bounds(const char *drawing, double left)
{
    const char *size = strstr(drawing, "viewBox=\"0 0 ");
    double width, height;
    assert_int_equal(sscanf(size, "viewBox=\"0 0 %lf %lf", &width, &height), 2);
    static const char *const across[] = {" x=\"", " x1=\"", " x2=\"", " cx=\""};
    static const char *const down[] = {" y=\"", " y1=\"", " y2=\"", " cy=\""};
    for (size_t i = 0; i < 4; i++) {
        within(drawing, across[i], 1, width - 1);
        within(drawing, down[i], 1, height - 1);
    }
    for (const char *at = drawing; (at = next_number(at, " points=\""));) {
        double x, y;
        int used;
        for (; *at != '"'; at += used) {
            assert_int_equal(sscanf(at, " %lf,%lf%n", &x, &y, &used), 2);
            if (!(x >= left && x <= width - 20 && y >= ROXI_PLOT_TOP && y <= height - 50))
                fail_msg("a curve is at %g, %g", x, y);
        }
    }
    assert_null(strstr(drawing, "nan"));
    assert_null(strstr(drawing, "-0.00"));
    for (const char *c = drawing; *c; c++)
        assert_true((unsigned char)*c >= 0x20 || *c == '\n');
}

/* What a function draws, to be freed. */
struct sheet {
    FILE *out;
    char *text;
    size_t size;
};

static void begin_sheet(struct sheet *s)
{
    s->out = open_memstream(&s->text, &s->size);
    assert_non_null(s->out);
}

/* `what` is drawn so often. */
static void check_sheet(struct sheet *s, double left, const char *what, size_t times)
{
    assert_int_equal(fclose(s->out), 0);
    check_bounds(s->text, left);
    size_t count = 0;
    for (const char *at = s->text; (at = next_number(at, what));)
        count++;
    if (count != times)
        fail_msg("%s: want %zu, got %zu", what, times, count);
    free(s->text);
}

static void draw_rank(size_t n, double spread)
{
    struct fixture f;
    struct sheet s;
    double score[MOST_RUNS];
    size_t order[MOST_RUNS];
    make(&f, n, 9);
    for (size_t i = 0; i < n; i++) {
        score[i] = spread * (double)(n - i - 1);
        order[i] = i;
    }
    const struct roxi_ranking r = {.score = score};
    begin_sheet(&s);
    assert_int_equal(roxi_plot_rank(s.out, &r, order, f.verdicts, &f.origin, NULL), 0);
    check_sheet(&s, 70, "</title></circle>", n); /* the others are in the list and the legend */
    release(&f);
}

static void test_rank(void **state)
{
    (void)state;
    draw_rank(2, 1);
    draw_rank(30, 0);
    draw_rank(30, 1e-9);
    draw_rank(MOST_RUNS, 1e6);
}

/* Curves of a table that was not computed: any numbers from 0 to n. */
static void test_effort(void **state)
{
    (void)state;
    struct fixture f;
    struct sheet s;
    struct roxi_inspection_effort_table table = {.curves = true};
    make(&f, 40, 5);
    const struct roxi_inspection_effort_row rows[] = {
        {.order = "random", .effort.all = 36.4},
        {.order = "rank", .effort.all = 8},
        {.order = "length", .effort.all = 9.5},
        {.order = "small-clusters",
         .strategy = "gap",
         .best = "all",
         .clusters = 3,
         .clustering = "single",
         .effort.all = 30},
        {.order = "adaptive",
         .strategy = "gap",
         .best = "all",
         .clusters = 4,
         .clustering = "average-sqrt",
         .effort.all = 20.5},
        {.order = "adaptive", .strategy = "gap", .best = "ninety", .effort.all = 1},
        {.order = "adaptive",
         .strategy = "levenshtein",
         .best = "all",
         .clusters = 40,
         .clustering = "complete",
         .effort.all = 20.5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct roxi_inspection_effort_row row = rows[i];
        row.reached = calloc(f.failures + 1, sizeof *row.reached);
        assert_non_null(row.reached);
        for (size_t k = 0; k <= f.failures; k++)
            row.reached[k] = row.effort.all * (double)k / (double)f.failures;
        assert_int_equal(roxi_inspection_effort_add(&table, &row), 0);
    }
    begin_sheet(&s);
    assert_int_equal(roxi_plot_inspection_effort(s.out, &table, 40, f.failures, &f.origin, NULL),
                     0);
    fflush(s.out);
    /* Of equal ones the strategy that comes first, and its better order. */
    assert_non_null(strstr(s.text, ">8: roxi rank<"));
    assert_non_null(strstr(s.text, ">9.5: longest runs first<"));
    assert_non_null(strstr(s.text, ">20.5: levenshtein, adaptive<"));
    assert_non_null(strstr(s.text, ">20.5 to 20.5: the others"));
    check_sheet(&s, 70, "<polyline ", 5);
    roxi_inspection_effort_table_free(&table);
    release(&f);
}

static void test_found(void **state)
{
    (void)state;
    struct fixture f;
    struct sheet s;
    struct roxi_figures figures[11] = {0};
    make(&f, 10, 3);
    for (size_t i = 0; i < 11; i++)
        for (size_t k = 0; k < ROXI_SHARES; k++)
            figures[i].found[k] = (double)(i * k) * 100 / 70;
    begin_sheet(&s);
    assert_int_equal(roxi_plot_found(s.out, figures, 10, f.failures, &f.origin, NULL), 0);
    check_sheet(&s, 70, "<polyline ", 11);
    release(&f);
}

/* A chain, the deepest tree that there is: each execution joins all before it. */
static void draw_tree(size_t n, size_t k, double first, double step)
{
    struct fixture f;
    struct sheet s;
    struct roxi_merge merges[MOST_RUNS];
    make(&f, n, 9);
    for (size_t i = 0; i + 1 < n; i++)
        merges[i] = (struct roxi_merge){
            .a = i ? n + i - 1 : 0, .b = i + 1, .height = first + step * (double)i, .size = i + 2};
    const struct roxi_dendrogram d = {.n = n, .merges = merges};
    const struct roxi_tree_plot plot = {
        .tree = &d, .k = k, .strategy = "gap", .linkage = "average", .verdicts = f.verdicts};
    begin_sheet(&s);
    assert_int_equal(roxi_plot_tree(s.out, &plot, &f.origin, NULL), 0);
    check_sheet(&s, 40, "</title></circle>", n);
    release(&f);
}

static void test_tree(void **state)
{
    (void)state;
    draw_tree(2, 1, 0.5, 0);
    draw_tree(5, 5, 0, 0);
    draw_tree(ROXI_PLOT_NAMED, 3, 0, 0.01);
    draw_tree(ROXI_PLOT_NAMED + 1, 0, -4, 0.1);
    draw_tree(MOST_RUNS, 600, 0, 1e9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_escape),       cmocka_unit_test(test_ticks),
        cmocka_unit_test(test_ticks_of_any), cmocka_unit_test(test_scale),
        cmocka_unit_test(test_name),         cmocka_unit_test(test_rank),
        cmocka_unit_test(test_effort),       cmocka_unit_test(test_found),
        cmocka_unit_test(test_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
