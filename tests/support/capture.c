/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/capture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/support/tempdir.h"

int capture_begin(void)
{
    fflush(stderr);
    const int before = dup(STDERR_FILENO);
    FILE *f = fopen(in_tempdir("stderr"), "w+");
    assert_true(before >= 0 && f && dup2(fileno(f), STDERR_FILENO) >= 0);
    fclose(f);
    return before;
}

void capture_end(int before, char *text, size_t size)
{
    fflush(stderr);
    assert_true(dup2(before, STDERR_FILENO) >= 0);
    close(before);
    FILE *f = fopen(in_tempdir("stderr"), "r");
    assert_non_null(f);
    text[fread(text, 1, size - 1, f)] = '\0';
    fclose(f);
}
