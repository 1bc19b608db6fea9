/* SPDX-License-Identifier: Apache-2.0 */
/* Which code was executed, and when it was not: in several parts, and more than a record holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/tracelog_fixture.h"

static const struct ix_covered block = {.frame = 2, .block = 200};
static const struct ix_covered first_block = {.frame = 1, .block = 0};

/* Classes 1 and 2, with a frame each. */
static void define_all(struct ix_log_writer *w)
{
    for (uint32_t i = 1; i <= 2; i++) {
        assert_int_equal(ix_log_class(w, i == 1 ? "A" : "B", ""), i);
        assert_int_equal(ix_log_frame(w, ix_log_method(w, i, "m", "()V"), 1), i);
    }
}

static int packet(struct ix_log_writer *w, uint64_t number)
{
    return ix_log_snapshot(w, &(struct ix_snapshot){.packet = number});
}

static void same_covered(const struct ix_covered *a, const struct ix_covered *b)
{
    assert_int_equal(a->frame, b->frame);
    assert_int_equal(a->block, b->block);
}

/* Which code was executed, of a log that starts again: frames are those of the part. */
static void test_coverage_in_parts(void **state)
{
    (void)state;
    char path[] = "/tmp/ixor-facts.XXXXXX", part[sizeof path + 2];
    close(mkstemp(path));
    unlink(path);
    struct ix_log_writer *w = ix_log_create(path, NULL);
    assert_non_null(w);
    define_all(w);
    assert_int_equal(ix_log_covered(w, &block), 0);
    assert_int_equal(packet(w, 1), 0);
    assert_int_equal(ix_log_next_part(w), 0);
    assert_int_equal(ix_log_class(w, "B", ""), 1);
    assert_int_equal(ix_log_frame(w, ix_log_method(w, 1, "m", "()V"), 1), 1);
    assert_int_equal(ix_log_covered(w, &first_block), 0);
    assert_int_equal(packet(w, 2), 0);
    assert_int_equal(ix_log_covered(w, &(struct ix_covered){1, UINT32_MAX}), 0);
    assert_int_equal(ix_log_rest(w), 0);
    assert_int_equal(ix_log_writer_close(w), 0);
    struct ix_log_reader *r = ix_log_open(path, NULL);
    assert_non_null(r);
    static const struct ix_covered want[] = {{2, 200}, {1, 0}, {1, UINT32_MAX}};
    for (int i = 0; i < 3; i++) {
        struct ix_snapshot s;
        assert_int_equal(ix_log_next(r, &s, NULL), i < 2);
        const struct ix_facts facts = ix_log_facts(r);
        assert_int_equal(facts.covered_count, 1);
        same_covered(&facts.covered[0], &want[i]);
        const struct ix_method m =
            ix_log_method_at(r, ix_log_frame_at(r, facts.covered[0].frame).method);
        assert_string_equal(ix_log_class_at(r, m.class_number).name, "B");
    }
    ix_log_reader_close(r);
    snprintf(part, sizeof part, "%s.1", path);
    assert_int_equal(unlink(part), 0);
    unlink(path);
}

/* As much as a record holds, and no more: the rest is refused, and what was taken is written. */
static void test_much_coverage(void **state)
{
    (void)state;
    int fd;
    size_t taken = 0;
    struct ix_log_writer *w = memory_writer(&fd);
    define_all(w);
    const struct ix_covered far = {1, UINT32_MAX};
    while (ix_log_covered(w, &far) == 0)
        taken++;
    assert_non_null(strstr(ix_log_writer_error(w), "more coverage than a record holds"));
    assert_true(taken > 100000);
    assert_int_equal(packet(w, 1), 0);
    assert_int_equal(ix_log_covered(w, &block), 0);
    assert_int_equal(packet(w, 2), 0);
    assert_int_equal(ix_log_writer_close(w), -1);
    struct ix_out log = file_bytes(fd);
    struct ix_log_reader *r = read_bytes(&log);
    next_snapshot(r);
    assert_int_equal(ix_log_facts(r).covered_count, taken);
    same_covered(&ix_log_facts(r).covered[taken - 1], &far);
    next_snapshot(r);
    assert_int_equal(ix_log_facts(r).covered_count, 1);
    assert_true(ix_log_reader_memory(r) > taken * sizeof far);
    expect_end(r);
    ix_out_free(&log);
    close(fd);
}

static void test_many_pauses(void **state)
{
    (void)state;
    int fd;
    size_t taken = 0;
    struct ix_log_writer *w = memory_writer(&fd);
    define_all(w);
    const struct ix_pause far = {1, UINT32_MAX, UINT64_MAX}, again = {2, 1, 0};
    while (ix_log_pause(w, &far) == 0)
        taken++;
    assert_non_null(strstr(ix_log_writer_error(w), "more pauses than a record holds"));
    assert_true(taken > 50000);
    assert_int_equal(packet(w, 1), 0);
    assert_int_equal(ix_log_pause(w, &again), 0);
    assert_int_equal(packet(w, 2), 0);
    assert_int_equal(ix_log_writer_close(w), -1);
    struct ix_out log = file_bytes(fd);
    struct ix_log_reader *r = read_bytes(&log);
    struct ix_snapshot s;
    assert_int_equal(ix_log_next(r, &s, NULL), 1);
    struct ix_facts facts = ix_log_facts(r);
    assert_int_equal(facts.pause_count, taken);
    assert_int_equal(facts.pauses[taken - 1].block, UINT32_MAX);
    assert_true(facts.pauses[taken - 1].packets == UINT64_MAX);
    assert_true(ix_log_reader_memory(r) > taken * sizeof far);
    assert_int_equal(ix_log_next(r, &s, NULL), 1);
    facts = ix_log_facts(r);
    assert_int_equal(facts.pause_count, 1);
    assert_int_equal(facts.pauses[0].packets, 0);
    expect_end(r);
    ix_out_free(&log);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coverage_in_parts),
        cmocka_unit_test(test_much_coverage),
        cmocka_unit_test(test_many_pauses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
