/* SPDX-License-Identifier: Apache-2.0 */
/* Text in lines of 80 columns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "roxi/base/text_wrap.h"
#include "schema/base/text_memory.h"

static char *wrapped(const char *text, struct roxi_wrap w)
{
    struct ix_text t;
    assert_int_equal(ix_text_open(&t), 0);
    roxi_print_wrapped(t.out, text, w);
    char *out = ix_text_close(&t);
    assert_non_null(out);
    return out;
}

#define TEN "0123456789"
#define FORTY TEN TEN TEN TEN
#define EIGHTY FORTY FORTY

static const struct row {
    const char *text;
    struct roxi_wrap wrap; /* indent, used, lines, whole */
    const char *want;
} rows[] = {
    {"", {4, 0, 0, false}, ""},
    {"one  two", {4, 0, 0, false}, "one two"},
    {FORTY " " FORTY, {2, 0, 0, false}, FORTY "\n  " FORTY},
    {FORTY " 012345678901234567890123456789012345678",
     {2, 0, 0, false},
     FORTY " 012345678901234567890123456789012345678"}, /* 80 columns exactly */
    {FORTY " x", {0, 39, 0, false}, FORTY "\nx"},       /* 79 are used, one is left */
    {FORTY " " FORTY " " FORTY, {2, 0, 2, false}, FORTY "\n  " FORTY " ..."},
    {FORTY " " FORTY, {2, 0, 1, false}, FORTY " ..."},
    {EIGHTY TEN,
     {4, 4, 0, false},
     FORTY TEN TEN TEN "01\n    " /* 72 columns: what fits beside indent and dots */
                       "23456789" TEN},
    {"\xE2\x82\xAC\xE2\x82\xAC", {0, 78, 0, false}, "\n\xE2\x82\xAC\xE2\x82\xAC"}, /* two each */
    {EIGHTY TEN, {4, 4, 0, true}, EIGHTY TEN},
    {"a " EIGHTY TEN " b", {4, 4, 0, true}, "a\n    " EIGHTY TEN "\n    b"},
    {EIGHTY TEN " b", {4, 9, 0, true}, "\n    " EIGHTY TEN "\n    b"},
    {"a " EIGHTY TEN " b", {4, 4, 1, true}, "a ..."},
    {TEN "5 % of it", {2, 68, 0, false}, "\n  " TEN "5 % of it"},
    {"12 % x", {0, 76, 0, false}, "12 %\nx"}, /* 80 columns exactly */
    {"x % y", {0, 78, 0, false}, "x\n% y"},   /* no number */
};

static void test_wrapped(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *got = wrapped(rows[i].text, rows[i].wrap);
        assert_string_equal(got, rows[i].want);
        free(got);
    }
}

/* Whatever the text, no line is too long, and nothing but blanks is lost. */
static void check_width(void)
{
    for (size_t word = 1; word < 200; word++) {
        char text[1000];
        for (size_t i = 0; i < sizeof text; i++)
            text[i] = i % (word + 1) == word ? ' ' : 'x';
        text[sizeof text - 1] = '\0';
        char *got = wrapped(text, (struct roxi_wrap){.indent = 6, .used = 6});
        size_t letters = 0;
        for (char *line = strtok(got, "\n"), *rest = line; line; line = rest) {
            assert_true(strlen(line) + (letters ? 0 : 6) <= roxi_wrap_columns());
            for (const char *c = line; *c; c++)
                letters += *c == 'x';
            rest = strtok(NULL, "\n");
        }
        for (const char *c = text; *c; c++)
            letters -= *c == 'x';
        assert_int_equal(letters, 0);
        free(got);
    }
}

static void test_width(void **state)
{
    (void)state;
    check_width();
}

static void test_narrow(void **state)
{
    (void)state;
    roxi_wrap_at(40);
    check_width();
    char *got = wrapped(TEN " " TEN " " TEN " " TEN, (struct roxi_wrap){.indent = 4, .used = 4});
    assert_string_equal(got, TEN " " TEN " " TEN "\n    " TEN);
    free(got);
    struct ix_text t;
    char deep[] = FORTY "x " FORTY "\n"; /* of blanks, on a line that has no more */
    memset(deep, ' ', 40);
    assert_int_equal(ix_text_open(&t), 0);
    roxi_print_lines(t.out, deep);
    got = ix_text_close(&t);
    const char *second = strchr(got, '\n') + 1;
    assert_int_equal(strspn(second, " "), 24);
    free(got);
    roxi_wrap_at(80);
}

/* What is left of a line is further in than its begin, however deep that is. */
static void test_lines(void **state)
{
    char text[] = "short\n\n  " FORTY " " FORTY " x\n" FORTY FORTY "  " FORTY "\nlast";
    struct ix_text t;
    (void)state;
    assert_int_equal(ix_text_open(&t), 0);
    roxi_print_lines(t.out, text);
    char *got = ix_text_close(&t);
    assert_string_equal(got, "short\n\n  " FORTY "\n      " FORTY " x\n" FORTY FORTY "\n    " FORTY
                             "\nlast\n");
    free(got);
    char deep[] = FORTY FORTY FORTY " x " FORTY TEN "\n";
    memset(deep, ' ', 60);
    assert_int_equal(ix_text_open(&t), 0);
    roxi_print_lines(t.out, deep);
    got = ix_text_close(&t);
    const char *second = strchr(got, '\n') + 1;
    assert_int_equal(strspn(second, " "), 44);
    free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrapped),
        cmocka_unit_test(test_width),
        cmocka_unit_test(test_narrow),
        cmocka_unit_test(test_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
