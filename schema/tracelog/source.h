/* SPDX-License-Identifier: Apache-2.0 */
/* Where a reader's bytes come from: a file, through a window that slides over it, or memory.
 *
 * The window grows only when it is full of bytes actually read, so a false length in a hostile file
 * costs no memory. */
#ifndef IX_SCHEMA_TRACELOG_SOURCE_H
#define IX_SCHEMA_TRACELOG_SOURCE_H

#include <stdbool.h>

#include "schema/base/bytes.h"

struct ix_source {
    const uint8_t *at; /* the next byte */
    size_t left;       /* bytes in memory from `at` on */
    uint64_t offset;   /* of the next byte in the file */
    int fd;            /* -1: memory; owned */
    bool ended;        /* the file has been read to its end */
    uint8_t *buffer;   /* owned; NULL: memory */
    size_t cap;
};

/* Each returns 0, or -1 with errno. Only a regular file can be opened: a directory is EISDIR,
 * anything else ESPIPE. */
int ix_source_open(struct ix_source *source, const char *path);
/* Reads until at least `want` bytes, or all that there are, are in memory: test `left`. Earlier
 * bytes may move. */
int ix_source_fill(struct ix_source *source, size_t want);

void ix_source_memory(struct ix_source *source, const void *data, size_t size);
/* Advances by len <= left; the bytes stay in place until the next fill. */
void ix_source_skip(struct ix_source *source, size_t len);
/* The total size, as far as it is known. */
uint64_t ix_source_size(const struct ix_source *source);
/* After the end: true if the file has grown since; then fill again. */
bool ix_source_grown(struct ix_source *source);
/* True if there are bytes that have not been skipped, in memory or in the file. */
bool ix_source_unread(const struct ix_source *source);
/* True if both are the same file. */
bool ix_source_same(const struct ix_source *a, const struct ix_source *b);
void ix_source_close(struct ix_source *source);

#endif
