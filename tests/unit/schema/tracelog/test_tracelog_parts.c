/* SPDX-License-Identifier: Apache-2.0 */
/* A trace log in parts: written, limited, read as one, also while it is written, cut, or partly
 * gone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>

#include "schema/tracelog/parts.h"
#include "tests/support/tempdir.h"
#include "tests/support/tracelog_fixture.h"

static struct ix_log_writer *create(const char *path)
{
    struct ix_error err = {"?"};
    struct ix_log_writer *w = ix_log_create(path, &err);
    if (!w)
        fail_msg("%s", err.text);
    assert_int_equal(ix_log_meta(w, "role", "r"), 0);
    assert_int_equal(ix_log_meta(w, "pid", "1"), 0);
    return w;
}

/* A snapshot of one thread, named like the packet, in a method named so, too. */
static int packet(struct ix_log_writer *w, uint64_t number)
{
    char name[32];
    snprintf(name, sizeof name, "packet %llu", (unsigned long long)number);
    uint32_t method = ix_log_method(w, ix_log_class(w, "A", ""), name, "()V");
    uint32_t stack = ix_log_stack(w, IX_STACK_EMPTY, ix_log_frame(w, method, 1));
    struct ix_thread thread = {1, 1, 1, name, "", "", 5, 0};
    ix_log_thread(w, &thread);
    struct ix_entry entry = {1, 1, stack};
    struct ix_snapshot s = {number, (int64_t)number * 10, -1, 1, 0, &entry, 1};
    return ix_log_snapshot(w, &s);
}

/* The log's next snapshot, which must be that packet. */
static void expect_packet(struct ix_log_reader *r, uint64_t number)
{
    char name[32];
    struct ix_snapshot s = next_snapshot(r);
    snprintf(name, sizeof name, "packet %llu", (unsigned long long)number);
    assert_int_equal(s.packet, number);
    assert_int_equal(s.mono_ns, number * 10);
    assert_int_equal(s.count, 1);
    assert_string_equal(ix_log_thread_at(r, s.entries[0].thread).name, name);
    struct ix_frame frame = ix_log_frame_at(r, ix_log_stack_frame(r, s.entries[0].stack));
    assert_string_equal(ix_log_method_at(r, frame.method).name, name);
}

static struct ix_log_reader *open_log(const char *path)
{
    struct ix_error err = {"?"};
    struct ix_log_reader *r = ix_log_open(path, &err);
    if (!r)
        fail_msg("%s", err.text);
    return r;
}

static void expect_packets(const char *path, uint64_t first, uint64_t last)
{
    struct ix_log_reader *r = open_log(path);
    for (uint64_t i = first; i <= last; i++)
        expect_packet(r, i);
    expect_end(r);
}

/* Packets 1 to `count`, a part every `every`; returns the path. */
static const char *write_parts(uint64_t count, uint64_t every)
{
    const char *path = in_tempdir("x.ixl");
    struct ix_log_writer *w = create(path);
    for (uint64_t i = 1; i <= count; i++) {
        if (i > 1 && (i - 1) % every == 0)
            assert_int_equal(ix_log_next_part(w), 0);
        assert_int_equal(packet(w, i), 0);
    }
    assert_int_equal(ix_log_writer_close(w), 0);
    return path;
}

static const char *part(uint32_t number)
{
    char name[32];
    snprintf(name, sizeof name, "x.ixl.%u", number);
    return in_tempdir(name);
}

static struct ix_out bytes_of(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    struct ix_out bytes = file_bytes(fd);
    close(fd);
    return bytes;
}

static void put_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void test_read_as_one(void **state)
{
    (void)state;
    const char *path = write_parts(8, 3);
    struct ix_log_reader *r = open_log(path);
    uint64_t offset = 0;
    for (uint64_t i = 1; i <= 8; i++) {
        expect_packet(r, i);
        assert_int_equal(ix_log_part(r), (i - 1) / 3);
        assert_true(ix_log_reader_offset(r) > offset);
        offset = ix_log_reader_offset(r);
        /* Numbers begin anew, so memory does, too; META stays. */
        assert_int_equal(ix_log_method_count(r), (i - 1) % 3 + 2);
        assert_string_equal(ix_log_meta_value(r, "role"), "r");
        const char *number = ix_log_meta_value(r, "part");
        assert_int_equal(number ? atoi(number) : 1, (i - 1) / 3 + 1);
    }
    expect_end(r);
    expect_packets(part(1), 1, 3);
    expect_packets(part(2), 4, 6);
    assert_int_not_equal(access(part(3), F_OK), 0);
}

/* Nothing of one part is known in the next. */
static void test_numbers_are_void(void **state)
{
    (void)state;
    struct ix_log_writer *w = create(in_tempdir("x.ixl"));
    assert_int_equal(packet(w, 1), 0);
    struct ix_lock lock = {1, IX_LOCK_OWNS, 1, 1, 0};
    assert_int_equal(ix_log_lock(w, &lock), 0); /* forgotten with the part */
    assert_int_equal(ix_log_next_part(w), 0);
    assert_null(ix_log_writer_error(w));
    assert_int_equal(ix_log_method(w, 1, "m", "()V"), 0);
    assert_int_equal(ix_log_stack(w, 2, 1), 0);
    assert_int_equal(ix_log_lock(w, &lock), -1);
    struct ix_thread second = {2, 1, 1, "", "", "", 5, 0};
    assert_int_equal(ix_log_thread(w, &second), -1);
    assert_int_equal(packet(w, 1), -1); /* but the packets go on */
    assert_int_equal(packet(w, 2), 0);
    assert_int_equal(ix_log_writer_close(w), -1);
    struct ix_log_reader *r = open_log(in_tempdir("x.ixl"));
    expect_packet(r, 1);
    expect_packet(r, 2);
    assert_int_equal(ix_log_facts(r).lock_count, 0);
    expect_end(r);
}

static void test_memory(void **state)
{
    (void)state;
    struct ix_log_writer *w = create(in_tempdir("x.ixl"));
    const size_t empty = ix_log_writer_memory(w);
    size_t last = empty;
    for (uint32_t i = 0; i < 20000; i++) {
        char name[200];
        snprintf(name, sizeof name, "%0190u", i);
        assert_int_equal(ix_log_class(w, name, ""), i + 1);
        assert_true(ix_log_writer_memory(w) >= last || ix_log_writer_memory(w) > 190 * i);
        last = ix_log_writer_memory(w);
    }
    assert_in_range(last, 20000 * 200, 20000 * 200 * 3);
    assert_int_equal(ix_log_next_part(w), 0);
    assert_in_range(ix_log_writer_memory(w), 0, empty + 4096);
    assert_int_equal(ix_log_writer_close(w), 0);
}

static void test_no_path(void **state)
{
    (void)state;
    int fd;
    struct ix_log_writer *w = memory_writer(&fd);
    assert_int_equal(packet(w, 1), 0);
    assert_int_equal(ix_log_next_part(w), -1);
    assert_non_null(strstr(ix_log_writer_error(w), "refused a further part of a log that has no"));
    assert_int_equal(packet(w, 2), 0);
    assert_int_equal(ix_log_writer_close(w), -1);
    close(fd);
}

static uint64_t size_of_all(uint32_t parts)
{
    uint64_t sum = 0;
    struct stat st;
    for (uint32_t i = 1; i <= parts; i++)
        if (stat(part(i), &st) == 0)
            sum += (uint64_t)st.st_size;
    assert_int_equal(stat(in_tempdir("x.ixl"), &st), 0);
    return sum + (uint64_t)st.st_size;
}

/* The oldest parts go, before a write would pass the limit; the one being written never does. */
static void test_limit(void **state)
{
    (void)state;
    enum { LIMIT = 8000, PART = LIMIT / 4 };
    struct ix_log_writer *w = create(in_tempdir("x.ixl"));
    uint32_t parts = 0;
    uint64_t last = 0;
    ix_log_limit(w, LIMIT);
    while (parts < 20) {
        assert_int_equal(packet(w, ++last), 0);
        const bool all_ours = parts >= 4 && (parts < 10 || parts > 15);
        assert_in_range(size_of_all(parts), all_ours ? LIMIT / 2 : 0, LIMIT);
        if (ix_log_writer_bytes(w) >= PART) {
            assert_int_equal(ix_log_next_part(w), 0);
            parts++;
        }
        if (parts == 10 && last % 5 == 0)
            unlink(part(9)); /* somebody else cleans up, too */
    }
    for (int i = 0; i < 200; i++)
        assert_int_equal(packet(w, ++last), 0); /* more than the limit in one part */
    assert_int_equal(size_of_all(parts), ix_log_writer_bytes(w));
    assert_true(ix_log_writer_bytes(w) > LIMIT);
    assert_int_equal(ix_log_writer_close(w), 0);
    struct ix_log_reader *r = open_log(in_tempdir("x.ixl"));
    uint64_t first = next_snapshot(r).packet;
    assert_string_equal(ix_log_meta_value(r, "part"), "21");
    for (uint64_t i = first + 1; i <= last; i++)
        expect_packet(r, i);
    expect_end(r);
}

/* What is no part's name is left alone and not read; what is one, is not mixed with a new log. */
static void test_names(void **state)
{
    (void)state;
    static const char *const others[] = {
        "x.ixl.0",          "x.ixl.01", "x.ixl.2x",  "x.ixl.",  "x.ixl.gz",
        "x.ixl.4294967296", "x.ixl.-1", "x.ixl.1.1", "y.ixl.1", "x.ix.1"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        put_file(in_tempdir(others[i]), "junk", 4);
    expect_packets(write_parts(8, 3), 1, 8);
    assert_int_equal(unlink(in_tempdir("x.ixl")), 0);
    struct ix_error err = {""};
    assert_null(ix_log_create(in_tempdir("x.ixl"), &err));
    assert_non_null(strstr(err.text, "it has parts, such as '"));
    assert_non_null(strstr(err.text, "x.ixl.1'"));
    assert_int_not_equal(access(in_tempdir("x.ixl"), F_OK), 0);
    expect_packets(in_tempdir("x.ixl"), 1, 6); /* without PATH, too */
    assert_int_equal(unlink(part(1)), 0);
    assert_null(ix_log_create(in_tempdir("x.ixl"), &err)); /* nor is a higher one */
    expect_packets(in_tempdir("x.ixl"), 4, 6);
    assert_int_equal(unlink(part(2)), 0);
    assert_null(ix_log_open(in_tempdir("x.ixl"), &err));
    assert_non_null(strstr(err.text, "No such file or directory"));
    expect_packets(write_parts(2, 2), 1, 2);
}

/* A path without a directory. */
static void test_relative(void **state)
{
    (void)state;
    int home = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(chdir(tempdir), 0);
    struct ix_log_writer *w = create("x.ixl");
    assert_int_equal(packet(w, 1), 0);
    assert_int_equal(ix_log_next_part(w), 0);
    assert_int_equal(packet(w, 2), 0);
    assert_int_equal(ix_log_writer_close(w), 0);
    expect_packets("x.ixl", 1, 2);
    assert_int_equal(fchdir(home), 0);
    close(home);
    expect_packets(part(1), 1, 1);
}

/* A writer killed right after it made PATH: no header yet, or half of one. */
static void test_no_header_yet(void **state)
{
    (void)state;
    const char *path = write_parts(4, 2);
    for (off_t size = 0; size <= IX_LOG_HEADER_SIZE; size++) {
        struct ix_out whole = bytes_of(path);
        put_file(path, whole.data, (size_t)size);
        struct ix_log_reader *r = open_log(path);
        struct ix_snapshot s;
        expect_packet(r, 1);
        expect_packet(r, 2);
        assert_int_equal(ix_log_next(r, &s, NULL), 0);
        assert_string_equal(ix_log_meta_value(r, "role"), "r");
        assert_int_equal(ix_log_torn(r) == NULL, size == IX_LOG_HEADER_SIZE);
        ix_log_reader_close(r);
        put_file(path, whole.data, whole.len);
        ix_out_free(&whole);
    }
}

/* Every part cut at every place: the others are read all the same. */
static void test_cut_anywhere(void **state)
{
    (void)state;
    enum { PARTS = 3, EACH = 2 };
    const char *path = write_parts(PARTS * EACH, EACH);
    for (uint32_t damaged = 1; damaged <= PARTS; damaged++) {
        const char *file = damaged < PARTS ? part(damaged) : path;
        struct ix_out whole = bytes_of(file);
        size_t ends[32], n = record_ends(&whole, ends, 32);
        for (size_t size = 0; size < whole.len; size++) {
            put_file(file, whole.data, size);
            const uint64_t kept = (size >= ends[n - 1]) + (size >= ends[n - 1 - 6]);
            bool at_end = false;
            for (size_t i = 0; i < n; i++)
                at_end |= ends[i] == size;
            struct ix_log_reader *r = open_log(path);
            struct ix_snapshot s;
            for (uint64_t i = 1; i <= PARTS * EACH; i++)
                if ((i - 1) / EACH + 1 != damaged || (i - 1) % EACH < kept)
                    expect_packet(r, i);
            assert_int_equal(ix_log_next(r, &s, NULL), 0);
            assert_int_equal(ix_log_torn(r) == NULL, at_end);
            if (!at_end)
                assert_non_null(strstr(ix_log_torn(r), file));
            ix_log_reader_close(r);
        }
        put_file(file, whole.data, whole.len);
        ix_out_free(&whole);
    }
}

static void expect_failure(const char *path, uint64_t before, const char *sentence)
{
    struct ix_snapshot s;
    struct ix_error err = {""};
    struct ix_log_reader *r = open_log(path);
    for (uint64_t i = 1; i <= before; i++)
        expect_packet(r, i);
    assert_int_equal(ix_log_next(r, &s, &err), -1);
    if (!strstr(err.text, sentence))
        fail_msg("'%s' instead of '%s'", err.text, sentence);
    assert_int_equal(ix_log_next(r, &s, &err), -1);
    ix_log_reader_close(r);
}

/* A part that is something else, or from another time. */
static void test_wrong_parts(void **state)
{
    (void)state;
    const char *path = write_parts(6, 2);
    struct ix_out first = bytes_of(part(1));
    put_file(part(2), "something else", 14);
    expect_failure(path, 2, "x.ixl.2' is not a trace log");
    put_file(part(2), first.data, first.len);
    expect_failure(path, 2, "packet 1 comes after packet 2");
    assert_int_equal(unlink(part(2)), 0);
    assert_int_equal(mkdir(part(2), 0700), 0);
    expect_failure(path, 2, "x.ixl.2': Is a directory");
    assert_int_equal(rmdir(part(2)), 0);
    struct ix_error err = {""};
    put_file(part(1), "something else", 14);
    assert_null(ix_log_open(path, &err));
    assert_non_null(strstr(err.text, "x.ixl.1' is not a trace log"));
    ix_out_free(&first);
}

/* The writer goes on, and removes, while the log is read: what was there at the opening is read. */
static void test_while_being_written(void **state)
{
    (void)state;
    const char *path = in_tempdir("x.ixl");
    struct ix_log_writer *w = create(path);
    assert_int_equal(packet(w, 1), 0);
    struct ix_log_reader *one = open_log(path);
    assert_int_equal(ix_log_next_part(w), 0);
    assert_int_equal(packet(w, 2), 0);
    expect_packet(one, 1);
    expect_end(one);
    assert_int_equal(ix_log_next_part(w), 0);
    assert_int_equal(packet(w, 3), 0);
    struct ix_log_reader *two = open_log(path), *three = open_log(path);
    expect_packet(two, 1);
    assert_int_equal(unlink(part(1)), 0);
    assert_int_equal(unlink(part(2)), 0);
    assert_int_equal(ix_log_next_part(w), 0);
    assert_int_equal(packet(w, 4), 0);
    expect_packet(two, 3); /* 2 is gone */
    expect_end(two);
    expect_packet(three, 1);
    expect_packet(three, 3);
    expect_end(three);
    assert_int_equal(ix_log_writer_close(w), 0);
    expect_packets(path, 3, 4);
    /* What a reader meets that opens PATH just before it becomes a part. */
    assert_int_equal(link(path, part(4)), 0);
    assert_int_equal(link(path, part(5)), 0);
    expect_packets(path, 3, 4);
}

/* The change fails for good, and all that was written is read where it was. */
static void expect_stuck(struct ix_log_writer *w, const char *sentence)
{
    const uint64_t size = ix_log_writer_bytes(w);
    assert_int_equal(ix_log_next_part(w), -1);
    if (!ix_log_writer_error(w) || !strstr(ix_log_writer_error(w), sentence))
        fail_msg("'%s' instead of '%s'", ix_log_writer_error(w), sentence);
    assert_int_equal(packet(w, 2), -1);
    assert_int_equal(ix_log_next_part(w), -1);
    assert_int_equal(ix_log_writer_bytes(w), size);
    assert_int_equal(ix_log_writer_close(w), -1);
}

static void test_no_descriptor(void **state)
{
    (void)state;
    struct rlimit before, none;
    struct ix_log_writer *w = create(in_tempdir("x.ixl"));
    assert_int_equal(packet(w, 1), 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    expect_stuck(w, "cannot create trace log");
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_not_equal(access(part(1), F_OK), 0);
    expect_packets(in_tempdir("x.ixl"), 1, 1);
}

static void test_part_is_there(void **state)
{
    (void)state;
    struct ix_log_writer *w = create(in_tempdir("x.ixl"));
    assert_int_equal(packet(w, 1), 0);
    put_file(part(1), "mine", 4);
    expect_stuck(w, "x.ixl.1': File exists");
    struct ix_out mine = bytes_of(part(1));
    assert_int_equal(mine.len, 4);
    ix_out_free(&mine);
    assert_int_equal(unlink(part(1)), 0);
    expect_packets(in_tempdir("x.ixl"), 1, 1);
}

/* The file was moved away, and something else is at its path. */
static void test_moved(void **state)
{
    (void)state;
    for (int replaced = 0; replaced < 2; replaced++) {
        struct ix_log_writer *w = create(in_tempdir("x.ixl"));
        assert_int_equal(packet(w, 1), 0);
        assert_int_equal(rename(in_tempdir("x.ixl"), in_tempdir("moved")), 0);
        if (replaced)
            put_file(in_tempdir("x.ixl"), "mine", 4);
        expect_stuck(w, replaced ? "File exists" : "No such file or directory");
        assert_int_not_equal(access(part(1), F_OK), 0);
        expect_packets(in_tempdir("moved"), 1, 1);
        if (replaced)
            assert_int_equal(unlink(in_tempdir("x.ixl")), 0);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, tempdir_make, tempdir_remove)
    const struct CMUnitTest tests[] = {
        TEST(test_read_as_one),
        TEST(test_numbers_are_void),
        TEST(test_memory),
        TEST(test_no_path),
        TEST(test_limit),
        TEST(test_names),
        TEST(test_relative),
        TEST(test_no_header_yet),
        TEST(test_cut_anywhere),
        TEST(test_wrong_parts),
        TEST(test_while_being_written),
        TEST(test_no_descriptor),
        TEST(test_part_is_there),
        TEST(test_moved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
