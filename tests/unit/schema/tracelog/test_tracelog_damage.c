/* SPDX-License-Identifier: Apache-2.0 */
/* Trace logs that are cut, damaged, hostile or of another kind: what is whole is read, what is
 * wrong is named, and nothing else happens. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <sys/stat.h>

#include "tests/support/tracelog_fixture.h"

/* A copy of exactly that size, so that AddressSanitizer sees a read behind it. */
static uint8_t *exact_copy(const void *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, data, size);
    return copy;
}

/* Reads to the end, checks that the packets are the example's, and returns how many there were. */
static size_t count_example_packets(struct ix_log_reader *r)
{
    static const uint64_t packets[] = {7, 9, 10, 11};
    static const uint32_t stacks[] = {3, 2, 2};
    struct ix_snapshot s;
    struct ix_error err;
    size_t n = 0;
    int status;
    while ((status = ix_log_next(r, &s, &err)) == 1) {
        assert_true(n < 4);
        assert_int_equal(s.packet, packets[n]);
        assert_int_equal(s.count, n < 3);
        if (s.count)
            assert_int_equal(s.entries[0].stack, stacks[n]);
        n++;
    }
    if (status < 0)
        fail_msg("%s", err.text);
    return n;
}

/* The example's records are header, META to THREAD, four snapshots. */
enum { EXAMPLE_RECORDS = 12, FIRST_SNAPSHOT_END = 8 };

static void test_cut_anywhere(void **state)
{
    (void)state;
    struct ix_out log = example_log();
    size_t ends[EXAMPLE_RECORDS];
    assert_int_equal(record_ends(&log, ends, EXAMPLE_RECORDS), EXAMPLE_RECORDS);
    for (size_t size = 0; size <= log.len; size++) {
        bool at_boundary = false;
        size_t whole = 0;
        for (size_t i = 0; i < EXAMPLE_RECORDS; i++) {
            at_boundary |= size == ends[i];
            whole += i >= FIRST_SNAPSHOT_END && ends[i] <= size;
        }
        uint8_t *copy = exact_copy(log.data, size);
        struct ix_error err;
        struct ix_log_reader *r = ix_log_open_memory(copy, size, "cut.ixl", &err);
        if (!r)
            fail_msg("cut at %zu: %s", size, err.text);
        assert_int_equal(count_example_packets(r), whole);
        const char *torn = ix_log_torn(r);
        assert_int_equal(torn == NULL, at_boundary);
        if (torn) {
            char total[40];
            snprintf(total, sizeof total, " of %zu", size);
            assert_non_null(strstr(torn, "'cut.ixl' ends in the middle of "));
            assert_non_null(strstr(torn, total));
        }
        ix_log_reader_close(r);
        free(copy);
    }
    ix_out_free(&log);
}

/* The same through a file. */
static void test_cut_file(void **state)
{
    (void)state;
    struct ix_out log = example_log();
    char path[] = "/tmp/tracelog-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, log.data, log.len), log.len);
    for (size_t size = log.len; size-- > 0;) {
        assert_int_equal(ftruncate(fd, (off_t)size), 0);
        struct ix_error err;
        struct ix_log_reader *file = ix_log_open(path, &err);
        struct ix_log_reader *memory = ix_log_open_memory(log.data, size, path, &err);
        assert_non_null(file);
        assert_non_null(memory);
        assert_int_equal(count_example_packets(file), count_example_packets(memory));
        const char *torn = ix_log_torn(file), *same = ix_log_torn(memory);
        assert_int_equal(torn == NULL, same == NULL);
        if (torn)
            assert_string_equal(torn, same);
        assert_int_equal(ix_log_reader_offset(file), ix_log_reader_offset(memory));
        ix_log_reader_close(file);
        ix_log_reader_close(memory);
    }
    close(fd);
    unlink(path);
    ix_out_free(&log);
}

static void flip_in_header(const uint8_t *copy, size_t size, size_t at)
{
    struct ix_error err = {""};
    struct ix_log_reader *r = ix_log_open_memory(copy, size, "flip.ixl", &err);
    if (at >= 10) { /* another minor version is read like this one */
        assert_non_null(r);
        assert_int_equal(count_example_packets(r), 4);
        assert_null(ix_log_torn(r));
    } else {
        assert_null(r);
        assert_non_null(strstr(err.text, at < 8 ? "'flip.ixl' is not a trace log"
                                                : "this program reads version 1"));
    }
    ix_log_reader_close(r);
}

static void test_flipped_bits(void **state)
{
    (void)state;
    struct ix_out log = example_log();
    size_t ends[EXAMPLE_RECORDS];
    record_ends(&log, ends, EXAMPLE_RECORDS);
    for (size_t bit = 0; bit < log.len * 8; bit++) {
        size_t at = bit / 8, whole = 0;
        uint8_t *copy = exact_copy(log.data, log.len);
        copy[at] ^= (uint8_t)(1u << bit % 8);
        if (at < IX_LOG_HEADER_SIZE) {
            flip_in_header(copy, log.len, at);
            free(copy);
            continue;
        }
        for (size_t i = FIRST_SNAPSHOT_END; i < EXAMPLE_RECORDS; i++)
            whole += ends[i] <= at;
        struct ix_log_reader *r = ix_log_open_memory(copy, log.len, "flip.ixl", NULL);
        assert_non_null(r);
        assert_int_equal(count_example_packets(r), whole);
        assert_non_null(ix_log_torn(r));
        assert_true(ix_log_reader_offset(r) <= at);
        ix_log_reader_close(r);
        free(copy);
    }
    ix_out_free(&log);
}

static void test_torn_sentences(void **state)
{
    (void)state;
    static const uint8_t claims_16_mib[] = {9, 0x80, 0x80, 0x80, 0x08, 1, 2, 3};
    static const uint8_t claims_more[] = {9, 0x81, 0x80, 0x80, 0x08, 1, 2, 3, 4, 5, 6};
    static const uint8_t endless[] = {9,    0xff, 0xff, 0xff, 0xff, 0xff,
                                      0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    static const uint8_t wrong_sum[] = {9, 0, 1, 2, 3, 4};
    static const struct {
        const uint8_t *bytes;
        size_t size;
        const char *sentence;
    } cases[] = {
        {claims_16_mib, 8, "'t.ixl' ends in the middle of a record at byte 12 of 20"},
        {claims_more, 11,
         "'t.ixl': a record's length is wrong at byte 12: the rest (11 bytes) is not read"},
        {endless, 12,
         "'t.ixl': a record's length is wrong at byte 12: the rest (12 bytes) is not read"},
        {wrong_sum, 6, "'t.ixl': checksum wrong at byte 12: the rest (6 bytes) is not read"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ix_out log = {0};
        put_header(&log);
        ix_put_bytes(&log, cases[i].bytes, cases[i].size);
        struct ix_log_reader *r = ix_log_open_memory(log.data, log.len, "t.ixl", NULL);
        assert_non_null(r);
        struct ix_snapshot s;
        assert_null(ix_log_torn(r)); /* not known before the end */
        assert_int_equal(ix_log_next(r, &s, NULL), 0);
        assert_string_equal(ix_log_torn(r), cases[i].sentence);
        assert_int_equal(ix_log_next(r, &s, NULL), 0);
        ix_log_reader_close(r);
        ix_out_free(&log);
    }
}

/* Records of types that this version does not know, between all others. */
static void test_unknown_types(void **state)
{
    (void)state;
    static const uint8_t unknown[] = {0, 22, 127, 128, 255};
    struct ix_out log = example_log(), mixed = {0};
    size_t ends[EXAMPLE_RECORDS];
    record_ends(&log, ends, EXAMPLE_RECORDS);
    ix_put_bytes(&mixed, log.data, IX_LOG_HEADER_SIZE);
    for (size_t i = 0; i < EXAMPLE_RECORDS; i++) {
        put_record(&mixed, unknown[i % sizeof unknown], "whatever", i % 9);
        if (i + 1 < EXAMPLE_RECORDS)
            ix_put_bytes(&mixed, log.data + ends[i], ends[i + 1] - ends[i]);
    }
    struct ix_log_reader *r = read_bytes(&mixed);
    assert_int_equal(count_example_packets(r), 4);
    expect_end(r);
    ix_out_free(&mixed);
    ix_out_free(&log);
}

static void test_not_a_log(void **state)
{
    (void)state;
    static const struct {
        const char *bytes, *sentence;
    } cases[] = {
        {"PK\x03\x04", "'x' is not a trace log"},
        {"\x89PNG\r\n\x1a\n........", "'x' is not a trace log"},
        {"12345678901234567890", "'x' is not a trace log"},
        {"4711\nserver\t/var/log/rmi.log\n",
         "'x' is not a trace log; it looks like the text layout, which 'roxi import' reads"},
        {"1\n", "'x' is not a trace log; it looks like the text layout, which 'roxi import' reads"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ix_error err = {""};
        assert_null(ix_log_open_memory(cases[i].bytes, strlen(cases[i].bytes), "x", &err));
        assert_string_equal(err.text, cases[i].sentence);
    }
    struct ix_error err = {""};
    assert_null(ix_log_open("/nonexistent/x.ixl", &err));
    assert_string_equal(err.text, "cannot open '/nonexistent/x.ixl': No such file or directory");
    assert_null(ix_log_open("/", &err));
    assert_non_null(strstr(err.text, "Is a directory"));
}

/* A name in a hostile catalogue: a FIFO that nobody writes to must not be waited for, nor a device
 * be read. */
static void test_no_regular_file(void **state)
{
    (void)state;
    char dir[] = "/tmp/tracelog-XXXXXX", fifo[sizeof dir + 5];
    assert_non_null(mkdtemp(dir));
    snprintf(fifo, sizeof fifo, "%s/fifo", dir);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    alarm(10);
    struct ix_error err = {""};
    assert_null(ix_log_open(fifo, &err));
    assert_non_null(strstr(err.text, "not a regular file"));
    assert_null(ix_log_open("/dev/zero", &err));
    assert_string_equal(err.text, "cannot open '/dev/zero': not a regular file");
    alarm(0);
    assert_int_equal(unlink(fifo), 0);
    assert_int_equal(rmdir(dir), 0);
}

/* A record whose checksum fits but whose content breaks a rule. All come behind the example's
 * records, in which the highest string is 6, class 1, method 1, frame 2, stack 3, thread 1, packet
 * 11 with no thread; `list` is a packet 12 with thread 1 ahead of it. */
struct broken {
    const char *what;
    bool list;
    uint8_t type, len;
    uint8_t payload[24];
    const char *sentence;
};

static const struct broken broken[] = {
    {"no META", false, 1, 0, {0}, "malformed META"},
    {"META without value", false, 1, 2, {1, 'k'}, "malformed META"},
    {"no string", false, 2, 0, {0}, "malformed STRING"},
    {"string with NUL", false, 2, 4, {3, 'a', 0, 'b'}, "malformed STRING"},
    {"string cut", false, 2, 3, {3, 'a', 'b'}, "malformed STRING"},
    {"string too long", false, 2, 5, {0x81, 0x80, 0x04, 'a', 'b'}, "malformed STRING"},
    {"no class", false, 3, 0, {0}, "malformed class"},
    {"class of string 7", false, 3, 2, {7, 0}, "a class refers to string 7, which is not defined"},
    {"bytes left", false, 3, 3, {1, 2, 1}, "malformed class"},
    {"method of class 0", false, 4, 3, {0, 1, 1}, "class 0, which is not defined"},
    {"method of class 2", false, 4, 3, {2, 1, 1}, "class 2, which is not defined"},
    {"frame of method 0", false, 5, 2, {0, 2}, "method 0, which is not defined"},
    {"frame of method 2", false, 5, 2, {2, 2}, "method 2, which is not defined"},
    {"line of 2^31", false, 5, 6, {1, 0x80, 0x80, 0x80, 0x80, 0x10}, "malformed frame"},
    {"stack upon 4", false, 6, 3, {4, 1, 1}, "a stack refers to stack 4, which is not defined"},
    {"stack of none", false, 6, 2, {2, 0}, "malformed stack"},
    {"stack of more than there is", false, 6, 3, {2, 2, 1}, "malformed stack"},
    {"stack of 2^64-1",
     false,
     6,
     13,
     {0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 1, 1},
     "malformed stack"},
    {"stack of frame 0", false, 6, 3, {2, 1, 0}, "frame 0, which is not defined"},
    {"stack of frame 3", false, 6, 4, {2, 2, 1, 3}, "frame 3, which is not defined"},
    {"thread 0", false, 7, 8, {0, 1, 1, 0, 0, 0, 0, 0}, "thread 0, which is not defined"},
    {"thread 3", false, 7, 8, {3, 1, 1, 0, 0, 0, 0, 0}, "thread 3, which is not defined"},
    {"thread of string 7", false, 7, 8, {2, 1, 1, 0, 0, 7, 0, 0}, "string 7, which is not"},
    {"thread cut", false, 7, 7, {2, 1, 1, 0, 0, 0, 0}, "malformed thread"},
    {"flags of 2^32",
     false,
     7,
     12,
     {2, 1, 1, 0, 0, 0, 0, 0x80, 0x80, 0x80, 0x80, 0x10},
     "malformed thread"},
    {"no snapshot", false, 8, 0, {0}, "malformed snapshot"},
    {"snapshot cut", false, 8, 4, {12, 0, 0, 0}, "malformed snapshot"},
    {"packet again", false, 8, 5, {11, 0, 0, 0, 0}, "packet 11 comes after packet 11"},
    {"packet back", false, 8, 5, {1, 0, 0, 0, 0}, "packet 1 comes after packet 11"},
    {"an edit of nothing", false, 8, 6, {12, 0, 0, 0, 0, 0 << 2 | 3}, "malformed snapshot"},
    {"same of none", false, 8, 6, {12, 0, 0, 0, 0, 1 << 2 | 0}, "1 threads, where there are 0"},
    {"changed of none", false, 8, 8, {12, 0, 0, 0, 0, 1 << 2 | 1, 1, 1}, "where there are 0"},
    {"gone of none", false, 8, 6, {12, 0, 0, 0, 0, 1 << 2 | 2}, "1 threads, where there are 0"},
    {"new 2, one there", false, 8, 9, {12, 0, 0, 0, 0, 2 << 2 | 3, 1, 1, 1}, "where there are 1"},
    {"new 2^62-1",
     false,
     8,
     18,
     {12, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 1, 1, 1},
     "where there are 1"},
    {"new thread 0", false, 8, 9, {12, 0, 0, 0, 0, 7, 0, 1, 1}, "thread 0 is not above"},
    {"new thread 2", false, 8, 9, {12, 0, 0, 0, 0, 7, 2, 1, 1}, "thread 2, which is not"},
    {"new on stack 4", false, 8, 9, {12, 0, 0, 0, 0, 7, 1, 1, 4}, "stack 4, which is not"},
    {"state of 2^32",
     false,
     8,
     13,
     {12, 0, 0, 0, 0, 7, 1, 0x80, 0x80, 0x80, 0x80, 0x10, 1},
     "malformed snapshot"},
    {"same of 2", true, 8, 6, {13, 0, 0, 0, 0, 2 << 2 | 0}, "2 threads, where there are 1"},
    {"same twice", true, 8, 7, {13, 0, 0, 0, 0, 4, 4}, "1 threads, where there are 0"},
    {"changed cut", true, 8, 7, {13, 0, 0, 0, 0, 5, 1}, "malformed snapshot"},
    {"changed to stack 4", true, 8, 8, {13, 0, 0, 0, 0, 5, 1, 4}, "stack 4, which is not"},
    {"old behind new", true, 8, 10, {13, 0, 0, 0, 0, 7, 1, 1, 1, 4}, "thread 1 is not above"},
    {"changed behind new", true, 8, 12, {13, 0, 0, 0, 0, 7, 1, 1, 1, 5, 1, 1}, "not above"},
};

static void expect_broken(const struct broken *b, const struct ix_out *example)
{
    struct ix_out log = {0};
    ix_put_bytes(&log, example->data, example->len);
    if (b->list)
        put_record(&log, 8, "\x0c\0\0\0\0\x07\x01\x01\x01", 9);
    char begin[60];
    snprintf(begin, sizeof begin, "'b.ixl', record at byte %zu: ", log.len);
    put_record(&log, b->type, b->payload, b->len);
    put_record(&log, 8, "\x7f\0\0\0\0", 5); /* must not be reached */
    uint8_t *copy = exact_copy(log.data, log.len);
    struct ix_log_reader *r = ix_log_open_memory(copy, log.len, "b.ixl", NULL);
    assert_non_null(r);
    for (int i = 0; i < 4 + b->list; i++)
        next_snapshot(r);
    struct ix_snapshot s;
    struct ix_error err = {""};
    for (int again = 0; again < 2; again++) {
        if (ix_log_next(r, &s, &err) != -1)
            fail_msg("%s: accepted", b->what);
        if (strncmp(err.text, begin, strlen(begin)) != 0 || !strstr(err.text, b->sentence))
            fail_msg("%s: %s", b->what, err.text);
    }
    assert_null(ix_log_torn(r));
    ix_log_reader_close(r);
    free(copy);
    ix_out_free(&log);
}

static void test_broken_rules(void **state)
{
    (void)state;
    struct ix_out example = example_log();
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
        expect_broken(&broken[i], &example);
    ix_out_free(&example);
}

/* META keys and values may be empty, and a later value replaces an earlier one in its place. */
static void test_meta(void **state)
{
    (void)state;
    struct ix_out log = {0};
    put_header(&log);
    put_record(&log, 1, "\0\1a\1k\1b\0\0", 9);
    struct ix_log_reader *r = read_bytes(&log);
    struct ix_snapshot none;
    assert_int_equal(ix_log_next(r, &none, NULL), 0);
    const char *key, *value;
    assert_true(ix_log_meta_at(r, 0, &key, &value));
    assert_string_equal(key, "");
    assert_string_equal(value, "");
    assert_true(ix_log_meta_at(r, 1, &key, &value));
    assert_string_equal(key, "k");
    assert_string_equal(value, "b");
    assert_false(ix_log_meta_at(r, 2, &key, &value));
    expect_end(r);
    ix_out_free(&log);
}

/* A file that is still being written: each reader sees what is there when it reads. */
static void test_while_being_written(void **state)
{
    (void)state;
    int fd;
    struct ix_log_writer *w = memory_writer(&fd);
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    for (uint64_t packet = 0; packet < 3; packet++) {
        struct ix_snapshot s = {.packet = packet};
        assert_int_equal(ix_log_snapshot(w, &s), 0);
        struct ix_log_reader *r = ix_log_open(path, NULL);
        assert_non_null(r);
        for (uint64_t i = 0; i <= packet; i++)
            assert_int_equal(next_snapshot(r).packet, i);
        expect_end(r);
    }
    assert_int_equal(ix_log_writer_close(w), 0);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_anywhere),    cmocka_unit_test(test_cut_file),
        cmocka_unit_test(test_flipped_bits),    cmocka_unit_test(test_torn_sentences),
        cmocka_unit_test(test_unknown_types),   cmocka_unit_test(test_not_a_log),
        cmocka_unit_test(test_broken_rules),    cmocka_unit_test(test_while_being_written),
        cmocka_unit_test(test_no_regular_file), cmocka_unit_test(test_meta),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
