/* SPDX-License-Identifier: Apache-2.0 */
/* The trace log's writer when the disk is full. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/support/tracelog_fixture.h"

#define FILE_LIMIT 5000

/* In a child, whose files may not grow above FILE_LIMIT: writes until that fails and says through
 * `report` how many snapshots went well before, and how the failure was described. */
struct report {
    uint64_t snapshots, bytes;
    int later_call, close_status;
    struct ix_error why;
};

static void write_until_full(const char *path, struct report *report)
{
    struct ix_log_writer *w = ix_log_create(path, &report->why);
    if (!w)
        return;
    struct ix_thread thread = {1, 1, 1, "t", "", "", 5, 0};
    struct ix_entry entry = {1, 1, 0};
    struct ix_snapshot s = {.entries = &entry, .count = 1};
    char name[200];
    do {
        s.packet++;
        /* Some hundred new bytes a packet, so that the limit is met inside a record. */
        memset(name, 'a' + (int)(s.packet % 26), sizeof name - 1);
        name[sizeof name - 1] = '\0';
        thread.name = name;
        ix_log_thread(w, &thread);
    } while (s.packet < 1000 && ix_log_snapshot(w, &s) == 0);
    report->snapshots = s.packet - 1;
    report->bytes = ix_log_writer_bytes(w);
    ix_fail(&report->why, "%s", ix_log_writer_error(w));
    s.packet++;
    report->later_call = ix_log_snapshot(w, &s);
    report->close_status = ix_log_writer_close(w);
}

static void child(const char *path, int out)
{
    struct report report = {0};
    struct rlimit limit = {FILE_LIMIT, FILE_LIMIT};
    signal(SIGXFSZ, SIG_IGN); /* as every JVM does */
    setrlimit(RLIMIT_FSIZE, &limit);
    write_until_full(path, &report);
    _exit(write(out, &report, sizeof report) == sizeof report ? 0 : 1);
}

static void test_file_limit(void **state)
{
    (void)state;
    char dir[] = "/tmp/tracelog-XXXXXX", path[100];
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/full.ixl", dir);
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0)
        child(path, ends[1]);
    close(ends[1]); /* so that the child's death ends the read */
    struct report report;
    assert_int_equal(read(ends[0], &report, sizeof report), sizeof report);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);

    char sentence[200];
    snprintf(sentence, sizeof sentence,
             "cannot write trace log '%s': File too large; it ends with the last whole snapshot",
             path);
    assert_string_equal(report.why.text, sentence);
    assert_in_range(report.snapshots, 10, 100);
    assert_int_equal(report.later_call, -1);
    assert_int_equal(report.close_status, -1);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size, report.bytes);
    struct ix_log_reader *r = ix_log_open(path, NULL);
    assert_non_null(r);
    for (uint64_t packet = 1; packet <= report.snapshots; packet++)
        assert_int_equal(next_snapshot(r).packet, packet);
    expect_end(r);
    close(ends[0]);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(dir), 0);
}

static void test_device_full(void **state)
{
    (void)state;
    int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    struct ix_error err = {""};
    assert_null(ix_log_create_fd(fd, &err));
    assert_non_null(strstr(err.text, "No space left on device"));
    assert_int_equal(fcntl(fd, F_GETFD), -1); /* closed: the writer owned it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file_limit),
        cmocka_unit_test(test_device_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
