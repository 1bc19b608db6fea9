/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors keep away from the numbers of closed standard streams. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "schema/base/descriptor.h"

static int open_at(int number)
{
    close(number);
    const int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    assert_int_equal(fd, number);
    return fd;
}

static void low_ones_move(void **state)
{
    (void)state;
    char byte = 1;
    const int fd = ix_above_streams(open_at(STDIN_FILENO));
    assert_true(fd > STDERR_FILENO);
    assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
    assert_int_equal(read(fd, &byte, 1), 1);
    assert_int_equal(byte, 0);
    assert_int_equal(fcntl(STDIN_FILENO, F_GETFD), -1); /* closed, as it was */
    assert_int_equal(ix_above_streams(fd), fd);
    close(fd);
    assert_int_equal(ix_above_streams(-1), -1);
}

static void no_number_left(void **state)
{
    (void)state;
    struct rlimit old, low;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    low = (struct rlimit){.rlim_cur = STDERR_FILENO + 1, .rlim_max = old.rlim_max};
    const int fd = open_at(STDIN_FILENO);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    const int above = ix_above_streams(fd);
    const int error = errno;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
    assert_int_equal(above, -1);
    assert_true(error == EMFILE || error == EINVAL); /* 3 itself is beyond the limit */
    assert_int_equal(fcntl(fd, F_GETFD), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(low_ones_move),
        cmocka_unit_test(no_number_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
