/* SPDX-License-Identifier: Apache-2.0 */
/* Thread dumps: states and times by table, a small log line by line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>

#include "roxi/export/dump.h"
#include "schema/tracelog/thread_state.h"
#include "tests/support/tempdir.h"
#include "tests/support/text_support.h"

/* As JVMTI gives them: a thread that waits has the bits of all that it does. */
static const struct {
    uint32_t state;
    const char *words;
} states[] = {
    {0x0, "NEW"},
    {0x2, "TERMINATED"},
    {0x5, "RUNNABLE"},
    {0x400005, "RUNNABLE"},
    {0x401, "BLOCKED (on object monitor)"},
    {0xe1, "TIMED_WAITING (sleeping)"},
    {0x191, "WAITING (on object monitor)"},
    {0x1a1, "TIMED_WAITING (on object monitor)"},
    {0x291, "WAITING (parked)"},
    {0x2a1, "TIMED_WAITING (parked)"},
    {0x91, "WAITING"},
    {0xa1, "TIMED_WAITING"},
    {0x1, "ALIVE"},
};

static void test_states(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
        assert_string_equal(ix_thread_state_words(states[i].state), states[i].words);
}

static void test_times(void **state)
{
    (void)state;
    char text[DUMP_TIME_SIZE];
    assert_string_equal(dump_time(text, 1767323045678999999), "2026-01-02T03:04:05.678Z");
    assert_string_equal(dump_time(text, 1), "1970-01-01T00:00:00.000Z");
    assert_string_equal(dump_time(text, -1), "1969-12-31T23:59:59.999Z");
    assert_string_equal(dump_time(text, INT64_MAX), "2262-04-11T23:47:16.854Z");
    assert_string_equal(dump_time(text, INT64_MIN), "1677-09-21T00:12:43.145Z");
}

static struct bytes small_log(void)
{
    struct ix_error err = {""};
    int fd = memfd_create("log", MFD_CLOEXEC);
    struct ix_log_writer *w = ix_log_create_fd(dup(fd), &err);
    uint32_t class = ix_log_class(w, "a.B", "B.java"), other = ix_log_class(w, "c.D", "");
    uint32_t run = ix_log_method(w, class, "run\x1B[2J", "()V"),
             go = ix_log_method(w, other, "go", "()V");
    uint32_t stack = ix_log_stack(w, IX_STACK_CUT, ix_log_frame(w, run, IX_LINE_COMPILED));
    static const int32_t lines[] = {IX_LINE_UNKNOWN, 12, 0};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        stack = ix_log_stack(w, stack, ix_log_frame(w, run, lines[i]));
        stack = ix_log_stack(w, stack, ix_log_frame(w, go, lines[i]));
    }
    stack = ix_log_stack(w, stack, ix_log_frame(w, go, IX_LINE_NATIVE));
    struct ix_thread threads[] = {
        {1, 4, 77, "a\nb\xFF", "main", "system", 5, IX_THREAD_DAEMON},
        {2, 5, 78, "", "g", "p", IX_PRIORITY_UNKNOWN, IX_THREAD_VIRTUAL | IX_THREAD_DAEMON_UNKNOWN},
    };
    struct ix_entry entries[] = {{1, 0x700291, stack}, {2, 0x5, IX_STACK_EMPTY}};
    struct ix_snapshot s = {7, 1000, 1767323045678000000, 1500000, 3, entries, 2};
    ix_log_meta(w, "role", "r\x9B");
    ix_log_thread(w, &threads[0]);
    ix_log_thread(w, &threads[1]);
    assert_int_equal(ix_log_snapshot(w, &s), 0);
    struct ix_snapshot bare = {.packet = 9, .mono_ns = -5, .entries = entries, .count = 1};
    assert_int_equal(ix_log_snapshot(w, &bare), 0);
    ix_log_writer_close(w);
    struct bytes log = whole_file(fd);
    close(fd);
    return log;
}

static void test_snapshots(void **state)
{
    (void)state;
    static const char want[] =
        "role: r\\x9B\n"
        "packet 7: 2 threads, 2026-01-02T03:04:05.678Z, stopped for 1.500 ms, "
        "3 threads missed, monotonic clock 1000 ns\n"
        "\n"
        "\"a\\x0Ab\\xFF\" #77 start 4 group main prio 5 daemon\n"
        "  WAITING (parked), in native code, suspended, interrupted\n"
        "    at c.D.go(Native Method)\n"
        "    at c.D.go(Unknown Source:0)\n"
        "    at a.B.run\\x1B[2J(B.java:0)\n"
        "    at c.D.go(Unknown Source:12)\n"
        "    at a.B.run\\x1B[2J(B.java:12)\n"
        "    at c.D.go(Unknown Source)\n"
        "    at a.B.run\\x1B[2J(B.java)\n"
        "    at a.B.run\\x1B[2J(B.java, compiled)\n"
        "    ... callers cut off by the depth limit\n"
        "\n"
        "\"virtual-78\" #78 start 5 group g virtual\n"
        "  RUNNABLE\n";
    struct ix_error err = {""};
    struct bytes log = small_log();
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct ix_log_reader *r = ix_log_open_memory(log.data, log.size, "log", &err);
    struct ix_snapshot s;
    assert_int_equal(ix_log_next(r, &s, &err), 1);
    dump_header(out, r);
    assert_int_equal(dump_snapshot(out, r, &s, &err), 0);
    fclose(out);
    assert_string_equal(text, want);
    free(text);
    ix_log_reader_close(r);
    free(log.data);
}

static void test_summary(void **state)
{
    (void)state;
    struct ix_error err = {""};
    struct bytes log = small_log();
    char *text = NULL, want[256];
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct ix_log_reader *r = ix_log_open_memory(log.data, log.size, "log", &err);
    assert_int_equal(dump_summary(out, r, &err), 0);
    fclose(out);
    snprintf(want, sizeof want,
             "role: r\\x9B\n"
             "packets: 7 to 9, 2 snapshots\n"
             "threads: 2 different, 1.5 in a snapshot, 3 missed\n"
             "call stacks: 2 different, of 8 different frames, 2 methods\n"
             "stop: 0.750 ms on average, 1.500 ms at most\n"
             "bytes: %zu, %.1f a snapshot\n",
             log.size, (double)log.size / 2);
    assert_string_equal(text, want);
    free(text);
    ix_log_reader_close(r);
    free(log.data);
}

/* Threads 1 and 2 wait for each other, 3 for the ring, 4 for itself to be told; some frames entered
 * monitors. Another ring, of synchronizers, are 5 and 6. */
static void put_facts(struct ix_log_writer *w, uint32_t class, uint32_t frame)
{
    static const struct ix_lock locks[] = {
        {3, IX_LOCK_ENTERS, 0x10, 1, -1},
        {1, IX_LOCK_OWNS, 0x10, 1, 1},
        {1, IX_LOCK_OWNS, 0x11, 1, 0},
        {1, IX_LOCK_ENTERS, 0x20, 1, -1},
        {2, IX_LOCK_ENTERS, 0x10, 1, -1},
        {2, IX_LOCK_OWNS, 0x20, 1, -1},
        {4, IX_LOCK_WAITS, 0x30, 1, -1},
        {5, IX_LOCK_PARKED, 0x201, 1, -1},
        {5, IX_LOCK_OWNS_SYNCHRONIZER, 0x202, 1, -1},
        {6, IX_LOCK_PARKED, 0x202, 1, -1},
        {6, IX_LOCK_OWNS_SYNCHRONIZER, 0x201, 1, -1},
    };
    const struct ix_exception thrown = {1, class, frame, 12}, ended = {0, class, frame, 1};
    for (size_t i = 0; i < sizeof locks / sizeof locks[0]; i++)
        assert_int_equal(ix_log_lock(w, &locks[i]), 0);
    assert_int_equal(ix_log_virtual(w, 1000), 0);
    assert_int_equal(
        ix_log_process(w, &(struct ix_process){1500000000, 4096 * 1024, 33, 5, 20000000}), 0);
    assert_int_equal(ix_log_exception(w, &thrown), 0);
    assert_int_equal(ix_log_exception(w, &ended), 0);
    assert_int_equal(ix_log_exceptions_dropped(w, 8), 0);
}

static void put_six_threads(struct ix_log_writer *w, uint64_t packet, bool facts)
{
    static const char *const names[] = {"a", "b\n", "c", "d", "e", "f"};
    struct ix_entry entries[6];
    uint32_t class = ix_log_class(w, "C", "C.java");
    uint32_t frame = ix_log_frame(w, ix_log_method(w, class, "m", "()V"), 3);
    uint32_t stack = ix_log_stack(w, ix_log_stack(w, IX_STACK_EMPTY, frame), frame);
    for (uint32_t i = 0; i < 6; i++) {
        struct ix_thread t = {i + 1, i + 1, i + 1, names[i], "g", "", IX_PRIORITY_UNKNOWN, 0};
        assert_int_equal(ix_log_thread(w, &t), 0);
        entries[i] = (struct ix_entry){i + 1, 0x401, i ? IX_STACK_EMPTY : stack};
    }
    if (facts)
        put_facts(w, class, frame);
    struct ix_snapshot s = {.packet = packet, .entries = entries, .count = 6};
    assert_int_equal(ix_log_snapshot(w, &s), 0);
}

static void test_facts(void **state)
{
    (void)state;
    static const char want[] =
        "packet 1: 6 threads, monotonic clock 0 ns\n"
        "virtual threads not shown: 1000\n"
        "process: 1.500 s of processor time, 4096 KiB resident, 33 descriptors, "
        "5 garbage collections in 0.020 s\n"
        "exception: 12 times C at C.m:3 in \"a\"\n"
        "exception: 1 times C at C.m:3\n"
        "exceptions not listed: 8\n"
        "\n"
        "deadlock:\n"
        "  \"a\" is blocked on <0x20> C, which is owned by \"b\\x0A\"\n"
        "  \"b\\x0A\" is blocked on <0x10> C, which is owned by \"a\"\n"
        "\n"
        "deadlock:\n"
        "  \"e\" is blocked on <0x201> C, which is owned by \"f\"\n"
        "  \"f\" is blocked on <0x202> C, which is owned by \"e\"\n"
        "\n"
        "\"a\" #1 start 1 group g\n"
        "  BLOCKED (on object monitor)\n"
        "    - blocked on <0x20> C\n"
        "    at C.m(C.java:3)\n"
        "    - owns <0x11> C\n"
        "    at C.m(C.java:3)\n"
        "    - owns <0x10> C\n"
        "\n"
        "\"b\\x0A\" #2 start 2 group g\n"
        "  BLOCKED (on object monitor)\n"
        "    - blocked on <0x10> C\n"
        "    - owns <0x20> C\n"
        "\n"
        "\"c\" #3 start 3 group g\n"
        "  BLOCKED (on object monitor)\n"
        "    - blocked on <0x10> C\n"
        "\n"
        "\"d\" #4 start 4 group g\n"
        "  BLOCKED (on object monitor)\n"
        "    - waiting on <0x30> C\n"
        "\n"
        "\"e\" #5 start 5 group g\n"
        "  BLOCKED (on object monitor)\n"
        "    - parked on <0x201> C\n"
        "    - owns <0x202> C\n"
        "\n"
        "\"f\" #6 start 6 group g\n"
        "  BLOCKED (on object monitor)\n"
        "    - parked on <0x202> C\n"
        "    - owns <0x201> C\n";
    struct ix_error err = {""};
    int fd = memfd_create("log", MFD_CLOEXEC);
    struct ix_log_writer *w = ix_log_create_fd(dup(fd), &err);
    put_six_threads(w, 1, true);
    assert_int_equal(ix_log_writer_close(w), 0);
    struct bytes log = whole_file(fd);
    close(fd);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct ix_log_reader *r = ix_log_open_memory(log.data, log.size, "log", &err);
    struct ix_snapshot s;
    assert_int_equal(ix_log_next(r, &s, &err), 1);
    assert_int_equal(dump_snapshot(out, r, &s, &err), 0);
    fclose(out);
    assert_string_equal(text, want);
    free(text);
    ix_log_reader_close(r);
    free(log.data);
}

static void expect_parts(const char *path, const char *line, const char *in_header)
{
    for (int summary = 0; summary < 2; summary++) {
        struct ix_error err = {""};
        struct ix_snapshot s;
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        struct ix_log_reader *r = ix_log_open(path, &err);
        assert_non_null(r);
        if (summary) {
            assert_int_equal(dump_summary(out, r, &err), 0);
        } else {
            assert_int_equal(ix_log_next(r, &s, &err), 1);
            dump_header(out, r);
        }
        fclose(out);
        const char *want = summary ? line : in_header, *found = strstr(text, "part");
        assert_int_equal(want == NULL, found == NULL);
        if (want)
            assert_memory_equal(found, want, strlen(want));
        free(text);
        ix_log_reader_close(r);
    }
}

static void test_parts(void **state)
{
    (void)state;
    struct ix_error err = {""};
    struct ix_log_writer *w = ix_log_create(in_tempdir("x.ixl"), &err);
    for (uint64_t packet = 1; packet <= 3; packet++) {
        if (packet > 1)
            assert_int_equal(ix_log_next_part(w), 0);
        put_six_threads(w, packet, false);
    }
    assert_int_equal(ix_log_writer_close(w), 0);
    expect_parts(in_tempdir("x.ixl"),
                 "parts: 1 to 3\npackets: 1 to 3, 3 snapshots\n"
                 "threads: at most 18 different, 6.0 in a snapshot, 0 missed\n"
                 "call stacks: at most 6 different, of 3 different frames, 3 methods\n",
                 NULL);
    expect_parts(in_tempdir("x.ixl.1"), NULL, NULL);
    assert_int_equal(unlink(in_tempdir("x.ixl.1")), 0);
    expect_parts(in_tempdir("x.ixl"),
                 "parts: 2 to 3; those before are not there: removed, or not asked for\n",
                 "parts: 2; those before are not there: removed, or not asked for\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_snapshots),
        cmocka_unit_test(test_summary),
        cmocka_unit_test(test_facts),
        cmocka_unit_test_setup_teardown(test_parts, tempdir_make, tempdir_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
