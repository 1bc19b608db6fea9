/* The trace log's writer and reader against tracelog.md: a small log, and bytes worked out by
 * hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "schema/tracelog_reader.h"
#include "schema/tracelog_writer.h"

static void test_round_trip(void **state)
{
    (void)state;
    struct ix_error err = {""};
    int fd = memfd_create("log", 0);
    struct ix_log_writer *w = ix_log_create_fd(dup(fd), &err);
    assert_non_null(w);
    assert_int_equal(ix_log_meta(w, "role", "server"), 0);
    uint32_t c = ix_log_class(w, "a.B", "B.java");
    assert_int_equal(c, 1);
    uint32_t m = ix_log_method(w, c, "run", "()V");
    uint32_t f = ix_log_frame(w, m, 12), g = ix_log_frame(w, m, -3);
    uint32_t s = ix_log_stack(w, IX_STACK_EMPTY, f);
    assert_int_equal(s, 2);
    uint32_t s2 = ix_log_stack(w, s, g);
    assert_int_equal(s2, 3);
    assert_int_equal(ix_log_stack(w, s, g), 3);
    struct ix_thread t = {1, 1, 77, "main", "main", "system", 5, 0};
    assert_int_equal(ix_log_thread(w, &t), 0);
    struct ix_entry e = {1, 5, s2};
    struct ix_snapshot snap = {7, 100, 200, 3, 0, &e, 1};
    assert_int_equal(ix_log_snapshot(w, &snap), 0);
    snap.packet = 9;
    e.stack = s;
    assert_int_equal(ix_log_snapshot(w, &snap), 0);
    assert_null(ix_log_writer_error(w));
    uint64_t size = ix_log_writer_bytes(w);
    assert_int_equal(ix_log_writer_close(w), 0);
    assert_int_equal(lseek(fd, 0, SEEK_END), size);
    void *data = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    struct ix_log_reader *r = ix_log_open_memory(data, size, "log", &err);
    assert_non_null(r);
    struct ix_snapshot got;
    assert_int_equal(ix_log_next(r, &got, &err), 1);
    assert_int_equal(got.packet, 7);
    assert_int_equal(got.mono_ns, 100);
    assert_int_equal(got.count, 1);
    assert_int_equal(got.entries[0].stack, 3);
    assert_int_equal(ix_log_next(r, &got, &err), 1);
    assert_int_equal(got.entries[0].stack, 2);
    assert_int_equal(got.real_ns, 200);
    assert_int_equal(ix_log_next(r, &got, &err), 0);
    assert_null(ix_log_torn(r));
    assert_string_equal(ix_log_thread_at(r, 1).parent, "system");
    assert_string_equal(ix_log_meta_value(r, "role"), "server");
    assert_int_equal(ix_log_frame_at(r, ix_log_stack_frame(r, 3)).line, -3);
    ix_log_reader_close(r);
    munmap(data, size);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
