/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/legacy/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Twice the longest line, so that few lines are moved when the buffer is refilled. */
enum { BUFFER_SIZE = 2 * TEXT_LINE_MAX };

struct text_lines {
    char *name;
    char *buffer;         /* NULL: reads from the caller's memory */
    const char *at, *end; /* what has not been consumed */
    uint64_t number;
    int fd;     /* -1: none */
    bool ended; /* no more input after `end` */
};

static struct text_lines *new_lines(const char *name, struct ix_error *err)
{
    struct text_lines *lines = calloc(1, sizeof *lines);
    if (lines) {
        lines->fd = -1;
        lines->name = strdup(name);
    }
    if (!lines || !lines->name) {
        ix_fail(err, "out of memory");
        text_lines_close(lines);
        return NULL;
    }
    return lines;
}

struct text_lines *text_lines_open(const char *path, struct ix_error *err)
{
    struct text_lines *lines = new_lines(path, err);
    if (!lines)
        return NULL;
    struct stat st;
    lines->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (lines->fd < 0 || fstat(lines->fd, &st) != 0) {
        ix_fail(err, "cannot read '%s': %s", path, strerror(errno));
        goto failed;
    }
    if (!S_ISREG(st.st_mode)) {
        ix_fail(err, "cannot read '%s': not a regular file", path);
        goto failed;
    }
    lines->buffer = malloc(BUFFER_SIZE);
    if (!lines->buffer) {
        ix_fail(err, "out of memory");
        goto failed;
    }
    lines->at = lines->end = lines->buffer;
    return lines;
failed:
    text_lines_close(lines);
    return NULL;
}

struct text_lines *text_lines_open_memory(const void *data, size_t size, const char *name,
                                          struct ix_error *err)
{
    struct text_lines *lines = new_lines(name, err);
    if (!lines)
        return NULL;
    lines->at = size ? data : "";
    lines->end = lines->at + size;
    lines->ended = true;
    return lines;
}

void text_lines_close(struct text_lines *lines)
{
    if (!lines)
        return;
    if (lines->fd >= 0)
        close(lines->fd);
    free(lines->buffer);
    free(lines->name);
    free(lines);
}

/* Reads more after the remaining bytes; call it only while these do not fill the buffer. */
static int fill(struct text_lines *lines, struct ix_error *err)
{
    size_t left = (size_t)(lines->end - lines->at);
    memmove(lines->buffer, lines->at, left);
    lines->at = lines->buffer;
    ssize_t got;
    do
        got = read(lines->fd, lines->buffer + left, BUFFER_SIZE - left);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return ix_fail(err, "cannot read '%s': %s", lines->name, strerror(errno));
    lines->end = lines->at + left + (size_t)got;
    lines->ended = got == 0;
    return 0;
}

static int too_long(const struct text_lines *lines, struct ix_error *err)
{
    return ix_fail(err,
                   "%s:%" PRIu64 ": found a line of more than %u bytes, expected a shorter one",
                   lines->name, lines->number, TEXT_LINE_MAX);
}

int text_lines_next(struct text_lines *lines, struct ix_span *line, struct ix_error *err)
{
    lines->number++;
    for (;;) {
        size_t left = (size_t)(lines->end - lines->at);
        const char *stop = memchr(lines->at, '\n', left);
        if (stop) {
            *line = (struct ix_span){lines->at, (size_t)(stop - lines->at)};
            lines->at = stop + 1;
            return line->len > TEXT_LINE_MAX ? too_long(lines, err) : 1;
        }
        if (left > TEXT_LINE_MAX)
            return too_long(lines, err);
        if (lines->ended)
            return 0;
        if (fill(lines, err) != 0)
            return -1;
    }
}

enum { CHUNK = 64 };

/* The number of LFs, eight bytes at a time: a byte of `other` is 0 where there is an LF, and
 * `feeds` keeps only its highest bit. */
static unsigned count_feeds(const char *chunk)
{
    const uint64_t ones = 0x0101010101010101u, low = 0x7f * ones;
    uint64_t sum = 0;
    for (int i = 0; i < CHUNK; i += 8) {
        uint64_t other;
        memcpy(&other, chunk + i, sizeof other);
        other ^= '\n' * ones;
        const uint64_t feeds = ~(((other & low) + low) | other | low);
        sum += feeds >> 7;
    }
    return (unsigned)(sum * ones >> 56);
}

/* Counts lines a chunk at a time until the last one ends within the next chunk. `tail`: an upper
 * limit for the bytes before the search position that belong to the line continuing there. */
bool text_lines_ahead(struct text_lines *lines, uint64_t count, struct ix_span *ahead)
{
    size_t len = 0, tail = 0;
    bool last = false; /* the lines end within the next chunk */
    while (count) {
        const char *begin = lines->at + len;
        const size_t left = (size_t)(lines->end - begin);
        const unsigned feeds = !last && left >= CHUNK ? count_feeds(begin) : CHUNK;
        if (feeds < count && feeds < CHUNK) {
            tail = feeds ? CHUNK : tail + CHUNK;
            len += CHUNK;
            count -= feeds;
            if (tail > TEXT_LINE_MAX)
                return false;
            continue;
        }
        last = left >= CHUNK && feeds >= count;
        const char *stop = memchr(begin, '\n', left);
        if (stop && (size_t)(stop - begin) + tail > TEXT_LINE_MAX)
            return false;
        if (stop) {
            len += (size_t)(stop - begin) + 1;
            tail = 0;
            count--;
            continue;
        }
        /* An error here occurs again when the lines are read one by one. */
        if (lines->ended || (size_t)(lines->end - lines->at) == BUFFER_SIZE ||
            fill(lines, NULL) != 0)
            return false;
    }
    *ahead = (struct ix_span){lines->at, len};
    return true;
}

void text_lines_skip(struct text_lines *lines, struct ix_span ahead, uint64_t count)
{
    lines->at += ahead.len;
    lines->number += count;
}

uint64_t text_lines_number(const struct text_lines *lines)
{
    return lines->number;
}

bool text_lines_cut(const struct text_lines *lines)
{
    return lines->at < lines->end;
}

const char *text_lines_name(const struct text_lines *lines)
{
    return lines->name;
}
