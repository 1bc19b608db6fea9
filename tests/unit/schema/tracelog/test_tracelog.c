/* SPDX-License-Identifier: Apache-2.0 */
/* The trace log's writer against tracelog.md: bytes worked out by hand, and what it saves,
 * splits, cuts and refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>

#include "tests/support/tracelog_fixture.h"

/* Payloads are worked out from tracelog.md by hand; the checksums come from libxxhash's own
 * XXH3_64bits over type, length and payload. */
static void test_example_bytes(void **state)
{
    (void)state;
    static const uint8_t expected[] = {
        0x89, 'I', 'X', 'L', 0x0d, 0x0a, 0x1a, 0x0a, 1, 0, 9, 0, /* magic, version 1.9 */
        /* META: role is s */
        1, 7, 4, 'r', 'o', 'l', 'e', 1, 's', 0x1e, 0x70, 0x87, 0x24,
        /* STRING: 1 to 6 */
        2, 31, 3, 'a', '.', 'B', 6, 'B', '.', 'j', 'a', 'v', 'a', 3, 'r', 'u', 'n', 3, '(', ')',
        'V', 4, 'm', 'a', 'i', 'n', 6, 's', 'y', 's', 't', 'e', 'm', 0x5e, 0xa8, 0xed, 0xed,
        /* CLASS 1: name 1, source 2 */
        3, 2, 1, 2, 0x94, 0x6d, 0x12, 0xd1,
        /* METHOD 1: class 1, name 3, descriptor 4 */
        4, 3, 1, 3, 4, 0xee, 0x0d, 0x23, 0xf8,
        /* FRAME 1: method 1, line 12; FRAME 2: method 1, line -3 */
        5, 4, 1, 24, 1, 5, 0x8d, 0x48, 0x44, 0x00,
        /* STACK 2 and 3: from the empty one, frames 1 and 2 */
        6, 4, 0, 2, 1, 2, 0x48, 0xda, 0x6e, 0x69,
        /* THREAD 1: start 1, id 300, names 5 5 6, priority 5, daemon */
        7, 9, 1, 1, 0xac, 2, 5, 5, 6, 10, 1, 0xf9, 0x3b, 0x1b, 0x39,
        /* packet 7, clocks 100 and -1, stop 3, missed 0; one new: thread 1, state 401, stack 3 */
        8, 11, 7, 0xc8, 1, 1, 3, 0, 1 << 2 | 3, 1, 0x91, 3, 3, 0xf5, 0x84, 0x6f, 0x02,
        /* packet 9, clocks -10 and +0, stop 200, missed 2; one changed: state 401, stack 2 */
        8, 10, 9, 19, 0, 0xc8, 1, 2, 1 << 2 | 1, 0x91, 3, 2, 0x96, 0xd0, 0xba, 0x03,
        /* packet 10: one the same */
        8, 6, 10, 0, 0, 0, 0, 1 << 2 | 0, 0xdf, 0x70, 0xfa, 0xbc,
        /* packet 11: no edit, so the thread is gone */
        8, 5, 11, 0, 0, 0, 0, 0x2b, 0x24, 0xaf, 0x26};
    struct ix_out log = example_log();
    assert_int_equal(log.len, sizeof expected);
    assert_memory_equal(log.data, expected, sizeof expected);
    ix_out_free(&log);
}

static void test_example_read(void **state)
{
    (void)state;
    struct ix_out log = example_log();
    struct ix_log_reader *r = read_bytes(&log);
    struct ix_snapshot s = next_snapshot(r);
    assert_int_equal(s.packet, 7);
    assert_int_equal(s.mono_ns, 100);
    assert_int_equal(s.real_ns, -1);
    assert_int_equal(s.stop_ns, 3);
    assert_int_equal(s.missed, 0);
    assert_int_equal(s.count, 1);
    assert_int_equal(s.entries[0].thread, 1);
    assert_int_equal(s.entries[0].state, 0x191);
    assert_int_equal(s.entries[0].stack, 3);
    s = next_snapshot(r);
    assert_int_equal(s.packet, 9);
    assert_int_equal(s.mono_ns, 90);
    assert_int_equal(s.real_ns, -1);
    assert_int_equal(s.stop_ns, 200);
    assert_int_equal(s.missed, 2);
    assert_int_equal(s.entries[0].stack, 2);
    s = next_snapshot(r);
    assert_int_equal(s.packet, 10);
    assert_int_equal(s.count, 1);
    assert_int_equal(s.entries[0].stack, 2);
    s = next_snapshot(r);
    assert_int_equal(s.count, 0);

    assert_string_equal(ix_log_meta_value(r, "role"), "s");
    assert_null(ix_log_meta_value(r, "host"));
    const char *key, *value;
    assert_true(ix_log_meta_at(r, 0, &key, &value));
    assert_string_equal(key, "role");
    assert_false(ix_log_meta_at(r, 1, &key, &value));
    assert_int_equal(ix_log_stack_frame(r, 3), 2);
    assert_int_equal(ix_log_stack_parent(r, 3), 2);
    assert_int_equal(ix_log_stack_frame(r, 2), 1);
    assert_int_equal(ix_log_stack_parent(r, 2), IX_STACK_EMPTY);
    assert_int_equal(ix_log_frame_at(r, 1).line, 12);
    assert_int_equal(ix_log_frame_at(r, 2).line, IX_LINE_NATIVE);
    assert_int_equal(ix_log_frame_at(r, 2).method, 1);
    struct ix_method method = ix_log_method_at(r, 1);
    assert_string_equal(method.name, "run");
    assert_string_equal(method.descriptor, "()V");
    struct ix_class class = ix_log_class_at(r, method.class_number);
    assert_string_equal(class.name, "a.B");
    assert_string_equal(class.source, "B.java");
    struct ix_thread thread = ix_log_thread_at(r, 1);
    assert_int_equal(thread.number, 1);
    assert_int_equal(thread.start, 1);
    assert_int_equal(thread.id, 300);
    assert_string_equal(thread.name, "main");
    assert_string_equal(thread.group, "main");
    assert_string_equal(thread.parent, "system");
    assert_int_equal(thread.priority, 5);
    assert_int_equal(thread.flags, IX_THREAD_DAEMON);
    assert_int_equal(ix_log_class_count(r), 2);
    assert_int_equal(ix_log_method_count(r), 2);
    assert_int_equal(ix_log_frame_count(r), 3);
    assert_int_equal(ix_log_stack_count(r), 4);
    assert_int_equal(ix_log_thread_count(r), 2);
    assert_int_equal(ix_log_reader_offset(r), log.len);
    expect_end(r);
    ix_out_free(&log);
}

/* Nothing is written twice, and a thread is defined again only when something changed. */
static void test_interning(void **state)
{
    (void)state;
    int fd;
    struct ix_log_writer *w = memory_writer(&fd);
    struct ix_thread thread = {1, 1, 1, "pool-1", "", "", IX_PRIORITY_UNKNOWN, 0};
    uint64_t size[3], packet = 0;
    for (int round = 0; round < 3; round++) {
        uint32_t class = ix_log_class(w, "A", "");
        uint32_t method = ix_log_method(w, class, "a", "()V");
        uint32_t frame = ix_log_frame(w, method, 1);
        assert_int_equal(class, 1);
        assert_int_equal(method, 1);
        assert_int_equal(frame, 1);
        assert_int_equal(ix_log_stack(w, IX_STACK_CUT, frame), 2);
        assert_int_equal(ix_log_stack(w, 2, frame), 3); /* recursion */
        assert_int_equal(ix_log_thread(w, &thread), 0);
        struct ix_snapshot s = {.packet = ++packet};
        assert_int_equal(ix_log_snapshot(w, &s), 0);
        size[round] = ix_log_writer_bytes(w);
    }
    assert_int_equal(size[1] - size[0], 11); /* type, length, five numbers, checksum */
    assert_int_equal(size[2] - size[1], 11);
    thread.name = "pool-1, busy";
    assert_int_equal(ix_log_thread(w, &thread), 0);
    struct ix_out log = finish(w, fd);
    struct ix_log_reader *r = read_bytes(&log);
    for (int round = 0; round < 3; round++) {
        next_snapshot(r);
        assert_string_equal(ix_log_thread_at(r, 1).name, "pool-1");
    }
    struct ix_snapshot none;
    assert_int_equal(ix_log_next(r, &none, NULL), 0);
    assert_string_equal(ix_log_thread_at(r, 1).name, "pool-1, busy"); /* written by close */
    expect_end(r);
    ix_out_free(&log);
}

static void test_unchanged_threads_are_cheap(void **state)
{
    (void)state;
    enum { THREADS = 1000 };
    int fd;
    struct ix_log_writer *w = memory_writer(&fd);
    static struct ix_entry entries[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        struct ix_thread thread = {i + 1, i + 1, i + 1, "t", "", "", 5, 0};
        assert_int_equal(ix_log_thread(w, &thread), 0);
        entries[i] = (struct ix_entry){i + 1, 1, IX_STACK_EMPTY};
    }
    struct ix_snapshot s = {1, 1000000000, 1700000000000000000, 50000, 0, entries, THREADS};
    assert_int_equal(ix_log_snapshot(w, &s), 0);
    uint64_t before = ix_log_writer_bytes(w);
    s.packet++;
    s.mono_ns += 100000000;
    s.real_ns += 100000000;
    assert_int_equal(ix_log_snapshot(w, &s), 0);
    assert_in_range(ix_log_writer_bytes(w) - before, 11, 39);
    struct ix_out log = finish(w, fd);
    struct ix_log_reader *r = read_bytes(&log);
    next_snapshot(r);
    s = next_snapshot(r);
    assert_int_equal(s.count, THREADS);
    assert_memory_equal(s.entries, entries, sizeof entries);
    expect_end(r);
    ix_out_free(&log);
}

/* Strings end at 65,536 bytes, between characters: 3-byte ones end at 65,535 then. */
static void test_long_names(void **state)
{
    (void)state;
    enum { CHARACTERS = 30000 };
    char *name = malloc(3 * CHARACTERS + 1);
    assert_non_null(name);
    for (size_t i = 0; i < CHARACTERS; i++)
        memcpy(name + 3 * i, "\xe2\x82\xac", 3);
    name[3 * CHARACTERS] = '\0';
    int fd;
    struct ix_log_writer *w = memory_writer(&fd);
    assert_int_equal(ix_log_class(w, name, ""), 1);
    name[65537] = 'x'; /* beyond the bound: still the same name */
    assert_int_equal(ix_log_class(w, name, ""), 1);
    memset(name, 'a', 65537);
    assert_int_equal(ix_log_class(w, name, ""), 2);
    struct ix_out log = finish(w, fd);
    struct ix_log_reader *r = read_bytes(&log);
    struct ix_snapshot none;
    assert_int_equal(ix_log_next(r, &none, NULL), 0);
    assert_int_equal(strlen(ix_log_class_at(r, 1).name), 65535);
    assert_memory_equal(ix_log_class_at(r, 1).name + 65532, "\xe2\x82\xac", 3);
    assert_int_equal(strlen(ix_log_class_at(r, 2).name), 65536);
    expect_end(r);
    ix_out_free(&log);
    free(name);
}

/* A packet may need more definitions than a record holds: 18 MB of names, and one call stack whose
 * frames alone take more than 1 MiB. */
static void test_large_packets_are_split(void **state)
{
    (void)state;
    enum { NAMES = 300, NAME_SIZE = 60000, DEPTH = 1100000 };
    int fd;
    struct ix_log_writer *w = memory_writer(&fd);
    char *name = malloc(NAME_SIZE + 1);
    assert_non_null(name);
    memset(name, 'n', NAME_SIZE);
    name[NAME_SIZE] = '\0';
    for (int i = 0; i < NAMES; i++) {
        name[i] = 'N';
        assert_int_equal(ix_log_class(w, name, ""), i + 1);
    }
    uint32_t frame = ix_log_frame(w, ix_log_method(w, 1, "f", "()V"), 1);
    uint32_t stack = IX_STACK_EMPTY;
    for (uint32_t depth = 0; depth < DEPTH; depth++)
        stack = ix_log_stack(w, stack, frame);
    struct ix_thread thread = {1, 1, 1, "t", "", "", 5, 0};
    assert_int_equal(ix_log_thread(w, &thread), 0);
    struct ix_entry entry = {1, 1, stack};
    struct ix_snapshot s = {1, 0, 0, 0, 0, &entry, 1};
    assert_int_equal(ix_log_snapshot(w, &s), 0);
    struct ix_out log = finish(w, fd);

    size_t ends[64], n = record_ends(&log, ends, 64);
    assert_true(n > 18);
    for (size_t i = 1; i < n; i++)
        assert_true(ends[i] - ends[i - 1] < (1u << 20) + 70000);
    struct ix_log_reader *r = read_bytes(&log);
    s = next_snapshot(r);
    assert_int_equal(ix_log_class_count(r), NAMES + 1);
    assert_string_equal(ix_log_class_at(r, NAMES).name, name);
    uint32_t depth = 0;
    for (stack = s.entries[0].stack; stack > IX_STACK_CUT; stack = ix_log_stack_parent(r, stack))
        depth++;
    assert_int_equal(stack, IX_STACK_EMPTY);
    assert_int_equal(depth, DEPTH);
    expect_end(r);
    ix_out_free(&log);
    free(name);
}

/* What breaks the format is refused and named, and the log goes on. */
static void test_refusals(void **state)
{
    (void)state;
    int fd;
    struct ix_log_writer *w = memory_writer(&fd);
    uint32_t frame = ix_log_frame(w, ix_log_method(w, ix_log_class(w, "A", ""), "a", "()V"), 1);
    struct ix_thread thread = {1, 1, 1, "t", "", "", 5, 0};
    assert_int_equal(ix_log_thread(w, &thread), 0);
    thread.number = 2;
    assert_int_equal(ix_log_thread(w, &thread), 0);
    struct ix_snapshot s = {.packet = 5};
    assert_int_equal(ix_log_snapshot(w, &s), 0);
    uint64_t size = ix_log_writer_bytes(w);
    assert_null(ix_log_writer_error(w));

    assert_int_equal(ix_log_method(w, 2, "b", "()V"), 0);
    const char *why = ix_log_writer_error(w);
    assert_non_null(strstr(why, "a method of class 2, which is not defined"));
    assert_int_equal(ix_log_method(w, 0, "b", "()V"), 0);
    assert_int_equal(ix_log_frame(w, 0, 1), 0);
    assert_int_equal(ix_log_frame(w, 2, 1), 0);
    assert_int_equal(ix_log_stack(w, 2, frame), 0);
    assert_int_equal(ix_log_stack(w, IX_STACK_EMPTY, 0), 0);
    assert_int_equal(ix_log_stack(w, IX_STACK_EMPTY, 2), 0);
    thread.number = 0;
    assert_int_equal(ix_log_thread(w, &thread), -1);
    thread.number = 4;
    assert_int_equal(ix_log_thread(w, &thread), -1);
    static const struct {
        uint64_t packet;
        struct ix_entry entries[2];
    } bad[] = {
        {5, {{1, 1, 0}, {2, 1, 0}}}, /* the packet before */
        {4, {{1, 1, 0}, {2, 1, 0}}}, /* an older one */
        {6, {{2, 1, 0}, {1, 1, 0}}}, /* descending */
        {6, {{1, 1, 0}, {1, 1, 0}}}, /* twice */
        {6, {{0, 1, 0}, {1, 1, 0}}}, /* no thread 0 */
        {6, {{1, 1, 0}, {3, 1, 0}}}, /* thread 3 is not defined */
        {6, {{1, 1, 0}, {2, 1, 2}}}, /* stack 2 is not defined */
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        s = (struct ix_snapshot){.packet = bad[i].packet, .entries = bad[i].entries, .count = 2};
        assert_int_equal(ix_log_snapshot(w, &s), -1);
    }
    assert_string_equal(ix_log_writer_error(w), why); /* the first one stays */
    assert_int_equal(ix_log_writer_bytes(w), size);
    s = (struct ix_snapshot){.packet = 6};
    assert_int_equal(ix_log_snapshot(w, &s), 0);
    assert_int_equal(ix_log_writer_close(w), -1); /* the log lacks what was refused */
    struct ix_out log = file_bytes(fd);
    struct ix_log_reader *r = read_bytes(&log);
    assert_int_equal(next_snapshot(r).packet, 5);
    assert_int_equal(next_snapshot(r).packet, 6);
    expect_end(r);
    ix_out_free(&log);
    close(fd);
}

static void test_create(void **state)
{
    (void)state;
    char dir[] = "/tmp/tracelog-XXXXXX";
    assert_non_null(mkdtemp(dir));
    char path[100], upper[100], sub[100];
    snprintf(path, sizeof path, "%s/a/b/x.ixl", dir);
    snprintf(sub, sizeof sub, "%s/a/b", dir);
    snprintf(upper, sizeof upper, "%s/a", dir);
    struct ix_error err;
    struct ix_log_writer *w = ix_log_create(path, &err);
    assert_non_null(w);
    struct ix_snapshot s = {.packet = 1};
    assert_int_equal(ix_log_snapshot(w, &s), 0);
    assert_int_equal(ix_log_writer_close(w), 0);
    /* The file is there now, and is left as it is. */
    assert_null(ix_log_create(path, &err));
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, "File exists"));
    struct ix_log_reader *r = ix_log_open(path, &err);
    assert_non_null(r);
    assert_int_equal(next_snapshot(r).packet, 1);
    expect_end(r);
    /* A file where a directory is needed. */
    char below[120];
    snprintf(below, sizeof below, "%s/y/z.ixl", path);
    assert_null(ix_log_create(below, &err));
    assert_non_null(strstr(err.text, "Not a directory"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(sub), 0);
    assert_int_equal(rmdir(upper), 0);
    assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example_bytes), cmocka_unit_test(test_example_read),
        cmocka_unit_test(test_interning),     cmocka_unit_test(test_unchanged_threads_are_cheap),
        cmocka_unit_test(test_long_names),    cmocka_unit_test(test_large_packets_are_split),
        cmocka_unit_test(test_refusals),      cmocka_unit_test(test_create),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
