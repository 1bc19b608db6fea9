/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/tracelog_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

struct ix_log_writer *memory_writer(int *fd)
{
    struct ix_error err;
    *fd = memfd_create("log", MFD_CLOEXEC);
    assert_true(*fd >= 0);
    struct ix_log_writer *w = ix_log_create_fd(dup(*fd), &err);
    assert_non_null(w);
    return w;
}

struct ix_out file_bytes(int fd)
{
    struct ix_out out = {0};
    struct stat st;
    assert_int_equal(fstat(fd, &st), 0);
    uint8_t *data = malloc((size_t)st.st_size + 1);
    assert_non_null(data);
    assert_int_equal(pread(fd, data, (size_t)st.st_size, 0), st.st_size);
    ix_put_bytes(&out, data, (size_t)st.st_size);
    free(data);
    return out;
}

struct ix_out finish(struct ix_log_writer *w, int fd)
{
    assert_null(ix_log_writer_error(w));
    assert_int_equal(ix_log_writer_close(w), 0);
    struct ix_out bytes = file_bytes(fd);
    close(fd);
    return bytes;
}

struct ix_log_reader *read_bytes(const struct ix_out *bytes)
{
    struct ix_error err = {"?"};
    struct ix_log_reader *r = ix_log_open_memory(bytes->data, bytes->len, "x.ixl", &err);
    if (!r)
        fail_msg("%s", err.text);
    return r;
}

struct ix_snapshot next_snapshot(struct ix_log_reader *r)
{
    struct ix_snapshot s = {0};
    struct ix_error err = {"the log's end"};
    if (ix_log_next(r, &s, &err) != 1)
        fail_msg("%s", err.text);
    return s;
}

void expect_end(struct ix_log_reader *r)
{
    struct ix_snapshot s;
    struct ix_error err = {"a further snapshot"};
    if (ix_log_next(r, &s, &err) != 0)
        fail_msg("%s", err.text);
    assert_null(ix_log_torn(r));
    ix_log_reader_close(r);
}

void put_header(struct ix_out *out)
{
    ix_put_bytes(out, IX_LOG_MAGIC, IX_LOG_MAGIC_SIZE);
    ix_put_u16(out, IX_LOG_MAJOR);
    ix_put_u16(out, IX_LOG_MINOR);
}

void put_record(struct ix_out *out, uint8_t type, const void *payload, size_t len)
{
    size_t begin = out->len;
    ix_put_u8(out, type);
    ix_put_varint(out, len);
    ix_put_bytes(out, payload, len);
    ix_put_u32(out, (uint32_t)XXH3_64bits(out->data + begin, out->len - begin));
}

size_t record_ends(const struct ix_out *log, size_t *ends, size_t max)
{
    size_t n = 0, at = IX_LOG_HEADER_SIZE;
    ends[n++] = at;
    while (at < log->len) {
        struct ix_in in = ix_in_of(log->data + at + 1, log->len - at - 1);
        uint64_t len = ix_get_varint(&in);
        at = (size_t)(in.at - log->data) + len + 4;
        assert_true(at <= log->len && n < max);
        ends[n++] = at;
    }
    return n;
}

struct ix_out example_log(void)
{
    int fd;
    struct ix_log_writer *w = memory_writer(&fd);
    assert_int_equal(ix_log_meta(w, "role", "s"), 0);
    uint32_t method = ix_log_method(w, ix_log_class(w, "a.B", "B.java"), "run", "()V");
    uint32_t low = ix_log_stack(w, IX_STACK_EMPTY, ix_log_frame(w, method, 12));
    uint32_t high = ix_log_stack(w, low, ix_log_frame(w, method, IX_LINE_NATIVE));
    struct ix_thread thread = {1, 1, 300, "main", "main", "system", 5, IX_THREAD_DAEMON};
    assert_int_equal(ix_log_thread(w, &thread), 0);
    struct ix_entry entry = {.thread = 1, .state = 0x191, .stack = high};
    struct ix_snapshot first = {7, 100, -1, 3, 0, &entry, 1};
    assert_int_equal(ix_log_snapshot(w, &first), 0);
    entry.stack = low;
    struct ix_snapshot second = {9, 90, -1, 200, 2, &entry, 1};
    assert_int_equal(ix_log_snapshot(w, &second), 0);
    struct ix_snapshot third = {10, 90, -1, 0, 0, &entry, 1};
    assert_int_equal(ix_log_snapshot(w, &third), 0);
    struct ix_snapshot fourth = {11, 90, -1, 0, 0, NULL, 0};
    assert_int_equal(ix_log_snapshot(w, &fourth), 0);
    return finish(w, fd);
}
