/* SPDX-License-Identifier: Apache-2.0 */
/* CSV and CLUTO files, to the byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "roxi/report/format.h"

static const char *const runs[] = {"run0", "a,b", "say \"hi\"", "two\nlines\r"};

static double whole_cells[16] = {
    0, 1.5, -2, 1e300, 1.5, 0, 0.1, 3, -2, 0.1, 0, 9007199254740991, 1e300, 3, 9007199254740991, 0};
static size_t starts[] = {0, 2, 2, 3, 3};
static uint32_t columns[] = {0, 2, 1};
static double values[] = {4, 0.25, 7};
static const struct roxi_matrix whole = {.n = 4, .cells = whole_cells};
static const struct roxi_sparse sparse = {
    .rows = 4, .cols = 3, .start = starts, .column = columns, .value = values};
static const char *const stacks[] = {"A.f(La/B;I)V:1", "", "A.g()V;B.h(La/C;)V:-3"};

static const struct roxi_table whole_table = {
    .rows = 4, .cols = 4, .whole = &whole, .row_names = runs, .col_names = runs};
static const struct roxi_table sparse_table = {
    .rows = 4, .cols = 3, .sparse = &sparse, .row_names = runs, .col_names = stacks};

static void csv(FILE *out, const struct roxi_table *table)
{
    assert_int_equal(roxi_write_csv(out, table, NULL), 0);
}

static void labels(FILE *out, const struct roxi_table *table)
{
    roxi_write_cluto_labels(out, table->row_names, table->rows);
}

static void expect(void (*write)(FILE *, const struct roxi_table *), const struct roxi_table *table,
                   const char *want)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    write(out, table);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, want);
    free(text);
}

static void test_csv(void **state)
{
    (void)state;
    expect(csv, &whole_table,
           "execution,run0,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\r\"\n"
           "run0,0,1.5,-2,1.0000000000000001e+300\n"
           "\"a,b\",1.5,0,0.10000000000000001,3\n"
           "\"say \"\"hi\"\"\",-2,0.10000000000000001,0,9007199254740991\n"
           "\"two\nlines\r\",1.0000000000000001e+300,3,9007199254740991,0\n");
    expect(csv, &sparse_table,
           "execution,A.f(La/B;I)V:1,,A.g()V;B.h(La/C;)V:-3\n"
           "run0,4,0,0.25\n"
           "\"a,b\",0,0,0\n"
           "\"say \"\"hi\"\"\",0,7,0\n"
           "\"two\nlines\r\",0,0,0\n");
}

/* What a spreadsheet takes for a formula; what is written reads back by dropping the first '. */
static void test_formulas(void **state)
{
    (void)state;
    static const char *const names[] = {
        "=cmd|' /C calc'!A0", "+1,5", "-x", "@sum", "\ty", "'=z", "\rq"};
    static double cells[7] = {0};
    static size_t start[8] = {0};
    const struct roxi_sparse none = {
        .rows = 7, .cols = 7, .start = start, .column = NULL, .value = cells};
    const struct roxi_table table = {
        .rows = 0, .cols = 7, .sparse = &none, .row_names = names, .col_names = names};
    expect(csv, &table, "execution,'=cmd|' /C calc'!A0,\"'+1,5\",'-x,'@sum,'\ty,''=z,\"'\rq\"\n");
}

static void test_cluto(void **state)
{
    (void)state;
    expect(roxi_write_cluto, &whole_table,
           "4 4\n"
           "0 1.5 -2 1.0000000000000001e+300\n"
           "1.5 0 0.10000000000000001 3\n"
           "-2 0.10000000000000001 0 9007199254740991\n"
           "1.0000000000000001e+300 3 9007199254740991 0\n");
    expect(roxi_write_cluto, &sparse_table, "4 3 3\n1 4 3 0.25\n\n2 7\n\n");
    expect(labels, &whole_table, "run0\na,b\nsay \"hi\"\ntwo\\nlines\\r\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_cluto),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
