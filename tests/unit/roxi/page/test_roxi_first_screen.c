/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of the first screen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "roxi/page/first_screen.h"

static char *wrapped(const char *text, size_t indent, size_t used, size_t most)
{
    char *out = NULL;
    size_t size;
    FILE *stream = open_memstream(&out, &size);
    assert_non_null(stream);
    roxi_print_wrapped(stream, text, indent, used, most);
    assert_int_equal(fclose(stream), 0);
    return out;
}

#define TEN "0123456789"
#define FORTY TEN TEN TEN TEN
#define EIGHTY FORTY FORTY

static const struct row {
    const char *text;
    size_t indent, used, most;
    const char *want;
} rows[] = {
    {"", 4, 0, 0, ""},
    {"one  two", 4, 0, 0, "one two"},
    {FORTY " " FORTY, 2, 0, 0, FORTY "\n  " FORTY},
    {FORTY " 012345678901234567890123456789012345678", 2, 0, 0,
     FORTY " 012345678901234567890123456789012345678"}, /* 80 columns exactly */
    {FORTY " x", 0, 39, 0, FORTY "\nx"},                /* 79 are used, one is left */
    {FORTY " " FORTY " " FORTY, 2, 0, 2, FORTY "\n  " FORTY " ..."},
    {FORTY " " FORTY, 2, 0, 1, FORTY " ..."},
    {EIGHTY TEN, 4, 4, 0,
     FORTY TEN TEN TEN "01\n    " /* 72 columns: what fits beside indent and dots */
                       "23456789" TEN},
    {"\xE2\x82\xAC\xE2\x82\xAC", 0, 78, 0, "\n\xE2\x82\xAC\xE2\x82\xAC"}, /* two columns each */
};

static void test_wrapped(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *got = wrapped(rows[i].text, rows[i].indent, rows[i].used, rows[i].most);
        assert_string_equal(got, rows[i].want);
        free(got);
    }
}

/* Whatever the text, no line is too long, and nothing but blanks is lost. */
static void test_width(void **state)
{
    (void)state;
    for (size_t word = 1; word < 200; word++) {
        char text[1000];
        for (size_t i = 0; i < sizeof text; i++)
            text[i] = i % (word + 1) == word ? ' ' : 'x';
        text[sizeof text - 1] = '\0';
        char *got = wrapped(text, 6, 6, 0);
        size_t letters = 0;
        for (char *line = strtok(got, "\n"), *rest = line; line; line = rest) {
            assert_true(strlen(line) + (letters ? 0 : 6) <= ROXI_SCREEN_COLUMNS);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrapped),
        cmocka_unit_test(test_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
