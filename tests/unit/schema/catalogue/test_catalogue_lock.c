/* SPDX-License-Identifier: Apache-2.0 */
/* One writer, or several readers. flock(2) tells descriptors apart, not processes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "schema/catalogue/lock.h"
#include "tests/support/catalogue_fixture.h"
#include "tests/support/tempdir.h"

static void nobody_ever_wrote(void **state)
{
    int fd = 0;
    (void)state;
    assert_int_equal(ix_lock_to_read(tempdir, &fd, &err), 0);
    assert_int_equal(fd, -1);
    assert_int_equal(access(in_tempdir("server.lock"), F_OK), -1);
}

static void one_writer(void **state)
{
    int first, second, reader;
    char holder[64];
    (void)state;
    assert_int_equal(ix_lock_to_write(tempdir, &first, &err), 0);
    snprintf(holder, sizeof holder, "ixor (process %ld) is writing '", (long)getpid());
    assert_int_equal(ix_lock_to_write(tempdir, &second, &err), -1);
    assert_int_equal(second, -1);
    says("another ");
    says(holder);
    assert_int_equal(ix_lock_to_read(tempdir, &reader, &err), -1);
    assert_int_equal(reader, -1);
    says("an ");
    says(holder);
    close(first);
    assert_int_equal(ix_lock_to_write(tempdir, &second, &err), 0);
    close(second);
}

static void several_readers(void **state)
{
    int writer, first, second;
    (void)state;
    assert_int_equal(ix_lock_to_write(tempdir, &writer, &err), 0);
    close(writer);
    assert_int_equal(ix_lock_to_read(tempdir, &first, &err), 0);
    assert_int_equal(ix_lock_to_read(tempdir, &second, &err), 0);
    assert_true(first >= 0 && second >= 0);
    close(first);
    assert_int_equal(ix_lock_to_write(tempdir, &writer, &err), -1);
    close(second);
    assert_int_equal(ix_lock_to_write(tempdir, &writer, &err), 0);
    close(writer);
}

static void no_directory(void **state)
{
    int fd;
    (void)state;
    assert_int_equal(ix_lock_to_write(in_tempdir("none"), &fd, &err), -1);
    says("none/server.lock': No such file or directory");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, tempdir_make, tempdir_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(nobody_ever_wrote), TEST(one_writer),
                                       TEST(several_readers), TEST(no_directory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
