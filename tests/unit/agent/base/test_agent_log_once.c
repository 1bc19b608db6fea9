/* SPDX-License-Identifier: Apache-2.0 */
/* The agent's one line never blocks: nobody may read the program's stderr any more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <unistd.h>

#include "agent/base/log_once.h"

static void a_full_pipe_does_not_block(void **state)
{
    int ends[2], stderr_before = dup(STDERR_FILENO);
    char piece[4096] = {0};
    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
    while (write(ends[1], piece, sizeof piece) > 0)
        ;
    assert_int_equal(fcntl(ends[1], F_SETFL, 0), 0);
    dup2(ends[1], STDERR_FILENO);
    alarm(10);
    ixa_log_once("something is wrong");
    alarm(0);
    dup2(stderr_before, STDERR_FILENO);
    close(stderr_before);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_full_pipe_does_not_block)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
