/* SPDX-License-Identifier: Apache-2.0 */
/* Text that is written to memory: all of it, or none where memory runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "schema/base/text_memory.h"
#include "tests/support/rounds.h"

enum { LINES = 4000, LINE = 1024 };

static void put_lines(FILE *out)
{
    for (int i = 0; i < LINES; i++)
        fprintf(out, "%*d", LINE, i);
}

static void test_empty(void **state)
{
    (void)state;
    struct ix_text t;
    assert_int_equal(ix_text_open(&t), 0);
    char *text = ix_text_close(&t);
    assert_non_null(text);
    assert_string_equal(text, "");
    assert_int_equal(t.size, 0);
    free(text);
}

/* Longer than any buffer. */
static void test_all(void **state)
{
    (void)state;
    struct ix_text t;
    assert_int_equal(ix_text_open(&t), 0);
    assert_int_equal(ix_text_length(&t), 0);
    put_lines(t.out);
    assert_int_equal(ix_text_length(&t), LINES * LINE);
    char *text = ix_text_close(&t);
    assert_non_null(text);
    assert_int_equal(t.size, LINES * LINE);
    assert_int_equal(strlen(text), t.size);
    for (int i = 0; i < LINES; i++) {
        char line[LINE + 1];
        snprintf(line, sizeof line, "%*d", LINE, i);
        assert_memory_equal(text + (size_t)i * LINE, line, LINE);
    }
    free(text);
}

/* Memory for the process's data ends before the text does, and is there again when it is closed. */
static void test_memory_runs_out(void **state)
{
    (void)state;
    if (INSTRUMENTED)
        skip(); /* a sanitizer ends the process */
    struct rlimit before, scarce;
    struct ix_text t;
    assert_int_equal(getrlimit(RLIMIT_DATA, &before), 0);
    assert_int_equal(ix_text_open(&t), 0);
    scarce = before;
    scarce.rlim_cur = LINES * LINE / 2;
    assert_int_equal(setrlimit(RLIMIT_DATA, &scarce), 0);
    put_lines(t.out);
    assert_int_equal(setrlimit(RLIMIT_DATA, &before), 0);
    fputs("the last line", t.out);
    assert_null(ix_text_close(&t));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
