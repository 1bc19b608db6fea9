/* Thread dumps: states and times by table, a small log line by line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>

#include "roxi/dump.h"
#include "tests/unit/text_support.h"

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
        assert_string_equal(dump_state(states[i].state), states[i].words);
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
        {2, 5, 78, "", "g", "p", IX_PRIORITY_UNKNOWN, IX_THREAD_DAEMON_UNKNOWN},
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
        "\"\" #78 start 5 group g\n"
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
    dump_snapshot(out, r, &s);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_snapshots),
        cmocka_unit_test(test_summary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
