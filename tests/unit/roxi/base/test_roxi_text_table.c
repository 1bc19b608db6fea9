/* SPDX-License-Identifier: Apache-2.0 */
/* Tables in text files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "roxi/base/text_table.h"
#include "tests/support/tempdir.h"

static void put(const char *bytes, size_t len)
{
    FILE *file = fopen(in_tempdir("table"), "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}
#define PUT(text) put((text), sizeof(text) - 1)

static void fields(void **state)
{
    struct roxi_text_table t;
    size_t column;
    struct ix_error err = {""};
    (void)state;
    PUT("a\tb\tc\n1\t\t3\r\n4\t5\t6"); /* an empty field, a carriage return, no last line end */
    assert_int_equal(roxi_text_table_read(&t, in_tempdir("table"), &err), 0);
    assert_int_equal(t.columns, 3);
    assert_int_equal(t.rows, 2);
    assert_string_equal(roxi_text_table_at(&t, 0, 0), "1");
    assert_string_equal(roxi_text_table_at(&t, 0, 1), "");
    assert_string_equal(roxi_text_table_at(&t, 0, 2), "3");
    assert_string_equal(roxi_text_table_at(&t, 1, 2), "6");
    assert_int_equal(roxi_text_table_line(1), 3);
    assert_int_equal(roxi_text_table_column(&t, "b"), 1);
    assert_int_equal(roxi_text_table_column(&t, "d"), -1);
    assert_int_equal(roxi_text_table_need(&t, "c", &column, &err), 0);
    assert_int_equal(column, 2);
    assert_int_equal(roxi_text_table_need(&t, "d", &column, &err), -1);
    assert_non_null(strstr(err.text, "table', line 1: no column 'd' among a, b, c"));
    roxi_text_table_free(&t);
}

static void head_only(void **state)
{
    struct roxi_text_table t;
    (void)state;
    PUT("a\n");
    assert_int_equal(roxi_text_table_read(&t, in_tempdir("table"), NULL), 0);
    assert_int_equal(t.rows, 0);
    roxi_text_table_free(&t);
}

/* More than one piece of reading. */
static void long_text(void **state)
{
    enum { ROWS = 100000 };
    struct roxi_text_table t;
    FILE *file = fopen(in_tempdir("table"), "w");
    (void)state;
    fputs("n\ttwice\n", file);
    for (int i = 0; i < ROWS; i++)
        fprintf(file, "%d\t%d\n", i, 2 * i);
    fclose(file);
    assert_int_equal(roxi_text_table_read(&t, in_tempdir("table"), NULL), 0);
    assert_int_equal(t.rows, ROWS);
    for (size_t i = 0; i < ROWS; i++)
        assert_int_equal(strtoul(roxi_text_table_at(&t, i, 1), NULL, 10), 2 * i);
    roxi_text_table_free(&t);
}

static void bad(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
        const char *message;
    } rows[] = {
        {"", 0, "table' is empty"},
        {"a\tb\n1\n", 6, "table', line 2: the number of fields is 1, not 2 as in line 1"},
        {"a\n1\n\n1\t2\n", 9, "table', line 4: the number of fields is 2, not 1 as in line 1"},
        {"a\n\0\n", 4, "table', line 2: a zero byte; is this a table?"},
    };
    struct roxi_text_table t;
    struct ix_error err;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        put(rows[i].bytes, rows[i].len);
        assert_int_equal(roxi_text_table_read(&t, in_tempdir("table"), &err), -1);
        assert_non_null(strstr(err.text, rows[i].message));
        assert_null(t.text);
    }
    assert_int_equal(roxi_text_table_read(&t, in_tempdir("nosuch"), &err), -1);
    assert_non_null(strstr(err.text, "nosuch': No such file or directory"));
    assert_int_equal(roxi_text_table_read(&t, ".", &err), -1);
    assert_string_equal(err.text, "cannot read '.': Is a directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(fields, tempdir_make, tempdir_remove),
        cmocka_unit_test_setup_teardown(head_only, tempdir_make, tempdir_remove),
        cmocka_unit_test_setup_teardown(long_text, tempdir_make, tempdir_remove),
        cmocka_unit_test_setup_teardown(bad, tempdir_make, tempdir_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
