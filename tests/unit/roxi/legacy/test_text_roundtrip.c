/* SPDX-License-Identifier: Apache-2.0 */
/* Random trace logs as text and back: the text of what the text became is the same text, and says
 * what the first log said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>

#include "tests/support/tempdir.h"
#include "tests/support/text_support.h"

enum { SEED = 20261121, ROUNDS = 300, THREADS = 6, FRAMES = 12, STACKS = 20, PACKETS = 8 };

static unsigned pick(unsigned *seed, unsigned below)
{
    return (unsigned)rand_r(seed) % below;
}

static const char *const names[] = {
    "main", "RMI TCP Connection(1)-10.0.0.1", "a b", "", "back\\slash", "two\nlines", "\xC3\xA4",
    "\t"};
enum { NAMES = sizeof names / sizeof names[0] };

static const char *name(unsigned *seed)
{
    return names[pick(seed, NAMES)];
}

static void define_frames(struct ix_log_writer *w, unsigned *seed, uint32_t frames[FRAMES])
{
    static const int32_t lines[] = {-3, -2, -1, 0, 1, 65535, INT32_MAX};
    for (int i = 0; i < FRAMES; i++) {
        uint32_t class = ix_log_class(w, name(seed), name(seed));
        uint32_t method = ix_log_method(w, class, name(seed), name(seed));
        frames[i] = ix_log_frame(w, method, lines[pick(seed, 7)]);
    }
}

static void define_stacks(struct ix_log_writer *w, unsigned *seed, uint32_t stacks[STACKS])
{
    uint32_t frames[FRAMES];
    define_frames(w, seed, frames);
    stacks[0] = IX_STACK_EMPTY;
    for (int i = 1; i < STACKS; i++)
        stacks[i] = ix_log_stack(w, stacks[pick(seed, (unsigned)i)], frames[pick(seed, FRAMES)]);
}

static void define_thread(struct ix_log_writer *w, unsigned *seed, uint32_t number)
{
    struct ix_thread t = {
        .number = number,
        .start = pick(seed, 3),
        .id = pick(seed, 2) ? pick(seed, 3) : UINT64_MAX,
        .name = name(seed),
        .group = name(seed),
        .parent = name(seed),
        .priority = 5,
    };
    assert_int_equal(ix_log_thread(w, &t), 0);
}

/* A log with threads that change their names, look alike, come and go. */
static struct bytes random_log(unsigned *seed)
{
    struct ix_error err = {""};
    int fd = memfd_create("log", MFD_CLOEXEC);
    struct ix_log_writer *w = ix_log_create_fd(dup(fd), &err);
    assert_non_null(w);
    uint32_t stacks[STACKS];
    ix_log_meta(w, "rmi-log", name(seed));
    define_stacks(w, seed, stacks);
    for (uint32_t i = 1; i <= THREADS; i++)
        define_thread(w, seed, i);
    for (uint64_t packet = 1; packet <= PACKETS; packet += 1 + pick(seed, 3)) {
        struct ix_entry entries[THREADS];
        struct ix_snapshot s = {.packet = packet, .entries = entries};
        s.mono_ns = pick(seed, 2) ? (int64_t)packet : INT64_MIN;
        if (pick(seed, 2))
            define_thread(w, seed, 1 + pick(seed, THREADS));
        for (uint32_t i = 1; i <= THREADS; i++)
            if (pick(seed, 3))
                entries[s.count++] =
                    (struct ix_entry){i, pick(seed, 2) * 0x401, stacks[pick(seed, STACKS)]};
        assert_int_equal(ix_log_snapshot(w, &s), 0);
    }
    assert_int_equal(ix_log_writer_close(w), 0);
    struct bytes log = whole_file(fd);
    close(fd);
    return log;
}

static void test_same_text(void **state)
{
    (void)state;
    unsigned seed = SEED;
    for (int round = 0; round < ROUNDS; round++) {
        struct ix_error err = {""};
        struct bytes log = random_log(&seed);
        struct bytes text = log_to_text(log, &err);
        struct outcome got = convert_text(text.data, text.size, &err);
        if (got.status != 0 || got.torn)
            fail_msg("seed %d, round %d: %s\n%s", SEED, round, err.text, text.data);
        struct bytes again = log_to_text(got.log, &err);
        if (strcmp(text.data, again.data) != 0)
            fail_msg("seed %d, round %d:\n%s\nbecame\n%s", SEED, round, text.data, again.data);
        free(again.data);
        free(got.log.data);
        free(text.data);
        free(log.data);
    }
}

/* One frame as a line of text; the texts of two logs' frames are compared. */
static void print_stack(FILE *out, const struct ix_log_reader *r, uint32_t stack)
{
    for (; stack > IX_STACK_CUT; stack = ix_log_stack_parent(r, stack)) {
        struct ix_frame f = ix_log_frame_at(r, ix_log_stack_frame(r, stack));
        struct ix_method m = ix_log_method_at(r, f.method);
        struct ix_class c = ix_log_class_at(r, m.class_number);
        fprintf(out, "%s|%s|%s|%s|%d;", c.name, c.source, m.name, m.descriptor, f.line);
    }
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All that the text has a place for, independent of numbers and order of threads. */
static char *content(struct bytes log)
{
    struct ix_error err = {""};
    char *all = NULL;
    size_t size;
    FILE *out = open_memstream(&all, &size);
    struct ix_log_reader *r = ix_log_open_memory(log.data, log.size, "log", &err);
    struct ix_snapshot s;
    while (ix_log_next(r, &s, &err) == 1) {
        char *rows[THREADS];
        fprintf(out, "packet %llu %lld %zu\n", (unsigned long long)s.packet, (long long)s.mono_ns,
                s.count);
        for (size_t i = 0; i < s.count; i++) {
            size_t row_size;
            FILE *row = open_memstream(&rows[i], &row_size);
            struct ix_thread t = ix_log_thread_at(r, s.entries[i].thread);
            fprintf(row, "%llu|%llu|%s|%s|%s|%u: ", (unsigned long long)t.start,
                    (unsigned long long)t.id, t.name, t.group, t.parent, s.entries[i].state);
            print_stack(row, r, s.entries[i].stack);
            fclose(row);
        }
        qsort(rows, s.count, sizeof rows[0], by_text);
        for (size_t i = 0; i < s.count; i++) {
            fprintf(out, "%s\n", rows[i]);
            free(rows[i]);
        }
    }
    ix_log_reader_close(r);
    fclose(out);
    return all;
}

static void test_same_content(void **state)
{
    (void)state;
    unsigned seed = SEED + 1;
    for (int round = 0; round < ROUNDS; round++) {
        struct ix_error err = {""};
        struct bytes log = random_log(&seed);
        struct bytes text = log_to_text(log, &err);
        struct outcome got = convert_text(text.data, text.size, &err);
        char *before = content(log), *after = content(got.log);
        if (strcmp(before, after) != 0)
            fail_msg("seed %d, round %d:\n%s\nbecame\n%s", SEED + 1, round, before, after);
        free(before);
        free(after);
        free(got.log.data);
        free(text.data);
        free(log.data);
    }
}

/* A truncated stack loses only that it was one; the writer counts how often. */
static void test_cut_stack(void **state)
{
    (void)state;
    struct ix_error err = {""};
    int fd = memfd_create("log", MFD_CLOEXEC);
    struct ix_log_writer *w = ix_log_create_fd(dup(fd), &err);
    uint32_t frame = ix_log_frame(w, ix_log_method(w, ix_log_class(w, "A", ""), "m", "()V"), -9);
    struct ix_thread t = {1, 1, 31, "t\xFF", "g", "p", 5, 0};
    struct ix_entry e = {1, 1, ix_log_stack(w, IX_STACK_CUT, frame)};
    struct ix_snapshot s = {.packet = 3, .mono_ns = 4, .entries = &e, .count = 1};
    ix_log_thread(w, &t);
    ix_log_snapshot(w, &s);
    ix_log_writer_close(w);
    struct bytes log = whole_file(fd), text = {0};
    close(fd);
    FILE *out = open_memstream(&text.data, &text.size);
    struct ix_log_reader *r = ix_log_open_memory(log.data, log.size, "log", &err);
    struct text_written written;
    assert_int_equal(text_write_log(r, &(struct text_vm){7, "r", "j"}, out, &written, &err), 0);
    fclose(out);
    assert_int_equal(written.blocks, 1);
    assert_int_equal(written.cut_stacks, 1);
    assert_string_equal(text.data, "7\nr\t\nj\n3\n4\n1\n0000001F\nt\xEF\xBF\xBD\ng\np\n1\n1\n1\n"
                                   "00000001 -1\n1\n00000001 00000001 m ()V\n1\n00000001 A \\e\n");
    ix_log_reader_close(r);
    free(text.data);
    free(log.data);
}

/* A method that a second part defines again, under the number of another one. */
static void test_parts(void **state)
{
    (void)state;
    struct ix_error err = {""};
    struct ix_log_writer *w = ix_log_create(in_tempdir("x.ixl"), &err);
    static const char *const methods[] = {"a", "b", "a"};
    for (uint64_t i = 0; i < 3; i++) {
        if (i)
            assert_int_equal(ix_log_next_part(w), 0);
        uint32_t frame =
            ix_log_frame(w, ix_log_method(w, ix_log_class(w, "A", ""), methods[i], ""), 1);
        struct ix_thread t = {1, 1, 31, "t", "g", "p", 5, 0};
        struct ix_entry e = {1, 1, ix_log_stack(w, IX_STACK_EMPTY, frame)};
        struct ix_snapshot s = {.packet = i + 1, .entries = &e, .count = 1};
        ix_log_thread(w, &t);
        assert_int_equal(ix_log_snapshot(w, &s), 0);
    }
    assert_int_equal(ix_log_writer_close(w), 0);
    struct bytes text = {0};
    FILE *out = open_memstream(&text.data, &text.size);
    struct ix_log_reader *r = ix_log_open(in_tempdir("x.ixl"), &err);
    struct text_written written;
    assert_int_equal(text_write_log(r, &(struct text_vm){7, "r", "j"}, out, &written, &err), 0);
    fclose(out);
    ix_log_reader_close(r);
    struct outcome got = convert_text(text.data, text.size, &err);
    assert_int_equal(got.blocks, 3);
    r = ix_log_open_memory(got.log.data, got.log.size, "x", &err);
    for (size_t i = 0; i < 3; i++) {
        struct ix_snapshot s;
        assert_int_equal(ix_log_next(r, &s, &err), 1);
        struct ix_frame f = ix_log_frame_at(r, ix_log_stack_frame(r, s.entries[0].stack));
        assert_string_equal(ix_log_method_at(r, f.method).name, methods[i]);
    }
    ix_log_reader_close(r);
    free(got.log.data);
    free(text.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_text),
        cmocka_unit_test(test_same_content),
        cmocka_unit_test(test_cut_stack),
        cmocka_unit_test_setup_teardown(test_parts, tempdir_make, tempdir_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
