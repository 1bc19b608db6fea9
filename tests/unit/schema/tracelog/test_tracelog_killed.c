/* SPDX-License-Identifier: Apache-2.0 */
/* A writer of parts that is killed at any moment, and read by others meanwhile: whatever it had
 * acknowledged is there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "tests/support/tempdir.h"
#include "tests/support/tracelog_fixture.h"

/* What the writer says about a packet; so large that it can be a few ahead of who listens, not
 * more. */
struct ack {
    uint64_t packet;
    char rest[1016];
};

/* Writes packets, a part after each, and says through `out` which are written, until it is
 * killed. */
static void write_for_ever(const char *path, int out)
{
    struct ix_error err;
    struct ix_log_writer *w = ix_log_create(path, &err);
    for (uint64_t packet = 1; w; packet++) {
        struct ix_snapshot s = {.packet = packet};
        struct ack ack = {.packet = packet};
        if (ix_log_snapshot(w, &s) < 0 || write(out, &ack, sizeof ack) != sizeof ack ||
            ix_log_next_part(w) < 0)
            break;
    }
    _exit(1);
}

/* Reads the whole log, in which no packet is missing; returns how many there are. */
static uint64_t count_packets(const char *path)
{
    struct ix_error err = {""};
    struct ix_snapshot s;
    uint64_t count = 0;
    struct ix_log_reader *r = ix_log_open(path, &err);
    if (!r)
        fail_msg("%s", err.text);
    int more;
    while ((more = ix_log_next(r, &s, &err)) == 1)
        assert_int_equal(s.packet, ++count);
    if (more < 0)
        fail_msg("%s", err.text);
    ix_log_reader_close(r);
    return count;
}

static void kill_after(uint64_t packets)
{
    char name[32];
    snprintf(name, sizeof name, "%llu.ixl", (unsigned long long)packets);
    const char *path = in_tempdir(name);
    int ends[2], status;
    struct ack ack = {0};
    assert_int_equal(pipe(ends), 0);
    fcntl(ends[0], F_SETPIPE_SZ, 4096);
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]); /* so that it ends if this test does */
        write_for_ever(path, ends[1]);
    }
    close(ends[1]);
    while (ack.packet < packets && read(ends[0], &ack, sizeof ack) == sizeof ack)
        if (ack.packet % 8 == 0)
            assert_true(count_packets(path) >= ack.packet);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status)); /* it did not fail by itself */
    while (read(ends[0], &ack, sizeof ack) == sizeof ack)
        continue;
    close(ends[0]);
    assert_true(ack.packet >= packets);
    assert_in_range(count_packets(path), ack.packet, ack.packet + 1);
}

static void test_killed(void **state)
{
    (void)state;
    for (uint64_t packets = 1; packets <= 50; packets++)
        kill_after(packets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_killed, tempdir_make, tempdir_remove)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
