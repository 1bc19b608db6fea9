/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/tracelog/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/base/grow.h"

/* Large enough that a read's fixed cost is negligible beside the copying. */
#define WINDOW_SIZE (256u << 10)

int ix_source_open(struct ix_source *source, const char *path)
{
    /* Without O_NONBLOCK a FIFO named in a hostile catalogue would block forever. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return -1;
    struct stat st;
    uint8_t *buffer = NULL;
    if (fstat(fd, &st) == 0) {
        if (S_ISREG(st.st_mode))
            buffer = malloc(WINDOW_SIZE);
        else
            errno = S_ISDIR(st.st_mode) ? EISDIR : ESPIPE;
    }
    if (!buffer) {
        int why = errno;
        close(fd);
        errno = why;
        return -1;
    }
    *source = (struct ix_source){.fd = fd, .buffer = buffer, .at = buffer, .cap = WINDOW_SIZE};
    return 0;
}

void ix_source_memory(struct ix_source *source, const void *data, size_t size)
{
    *source = (struct ix_source){.fd = -1, .at = data, .left = size, .ended = true};
}

/* Makes room behind the bytes that are there. */
static int make_room(struct ix_source *source)
{
    if (source->left < source->cap) {
        memmove(source->buffer, source->at, source->left);
    } else {
        uint8_t *grown = ix_grow(source->buffer, &source->cap, source->cap + 1, 1);
        if (!grown)
            return -1;
        source->buffer = grown;
    }
    source->at = source->buffer;
    return 0;
}

int ix_source_fill(struct ix_source *source, size_t want)
{
    while (source->left < want && !source->ended) {
        size_t used = (size_t)(source->at - source->buffer) + source->left;
        if (used == source->cap) {
            if (make_room(source) < 0)
                return -1;
            used = source->left;
        }
        ssize_t n = read(source->fd, source->buffer + used, source->cap - used);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        source->left += (size_t)n;
        source->ended = n == 0;
    }
    return 0;
}

void ix_source_skip(struct ix_source *source, size_t len)
{
    if (len)
        source->at += len;
    source->left -= len;
    source->offset += len;
}

uint64_t ix_source_size(const struct ix_source *source)
{
    uint64_t known = source->offset + source->left;
    struct stat st;
    if (source->ended || fstat(source->fd, &st) < 0 || (uint64_t)st.st_size < known)
        return known;
    return (uint64_t)st.st_size;
}

bool ix_source_grown(struct ix_source *source)
{
    struct stat st;
    if (source->fd < 0 || fstat(source->fd, &st) != 0 ||
        (uint64_t)st.st_size <= source->offset + source->left)
        return false;
    source->ended = false;
    return true;
}

bool ix_source_unread(const struct ix_source *source)
{
    struct stat st;
    return source->left || (source->fd >= 0 && fstat(source->fd, &st) == 0 &&
                            (uint64_t)st.st_size > source->offset);
}

bool ix_source_same(const struct ix_source *a, const struct ix_source *b)
{
    struct stat x, y;
    return a->fd >= 0 && b->fd >= 0 && fstat(a->fd, &x) == 0 && fstat(b->fd, &y) == 0 &&
           x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

void ix_source_close(struct ix_source *source)
{
    if (source->fd >= 0)
        close(source->fd);
    free(source->buffer);
}
