/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/text_support.h"

struct bytes whole_file(int fd)
{
    off_t size = lseek(fd, 0, SEEK_END);
    struct bytes b = {.size = size < 0 ? 0 : (size_t)size};
    b.data = malloc(b.size + 1);
    if (!b.data || size < 0 || pread(fd, b.data, b.size, 0) != size)
        abort();
    b.data[b.size] = '\0';
    return b;
}

struct outcome convert_lines(struct text_lines *lines, struct ix_error *err)
{
    struct outcome out = {0};
    int fd = memfd_create("log", MFD_CLOEXEC);
    struct text_reader *r = lines ? text_reader_new(lines, err) : NULL;
    struct ix_log_writer *w = ix_log_create_fd(dup(fd), err);
    struct text_convert *c = w && r ? text_convert_new(w, text_reader_name(r), err) : NULL;
    if (!c)
        abort();
    const struct text_block *block;
    while ((out.status = text_reader_next(r, &block, err)) == 1) {
        if (out.blocks == 0)
            ix_log_meta(w, "rmi-log", text_reader_identity(r).rmi_log);
        if ((out.status = text_convert_block(c, block, err)) != 0)
            break;
        out.blocks++;
    }
    out.torn = text_reader_torn(r) != NULL;
    text_convert_free(c);
    text_reader_free(r);
    ix_log_writer_close(w);
    out.log = whole_file(fd);
    close(fd);
    return out;
}

struct outcome convert_text(const void *text, size_t size, struct ix_error *err)
{
    return convert_lines(text_lines_open_memory(text, size, "log", err), err);
}

struct bytes log_to_text(struct bytes log, struct ix_error *err)
{
    static const struct text_vm vm = {17, "role\twith tab", "jvm"};
    struct bytes text = {0};
    struct text_written written;
    FILE *out = open_memstream(&text.data, &text.size);
    struct ix_log_reader *r = ix_log_open_memory(log.data, log.size, "log", err);
    if (!out || !r || text_write_log(r, &vm, out, &written, err) != 0)
        abort();
    ix_log_reader_close(r);
    fclose(out);
    return text;
}
