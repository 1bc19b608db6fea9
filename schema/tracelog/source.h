/* Where a reader's bytes come from: a file, through a window that slides over it, or memory.
 *
 * The window grows only when it is full of bytes that are really there, so a length that a hostile
 * file claims costs no memory. */
#ifndef IX_SCHEMA_TRACELOG_SOURCE_H
#define IX_SCHEMA_TRACELOG_SOURCE_H

#include <stdbool.h>

#include "schema/bytes.h"

struct ix_source {
    const uint8_t *at; /* the next byte */
    size_t left;       /* bytes from there that are in memory */
    uint64_t offset;   /* of the next byte in the file */
    int fd;            /* -1: memory; owned */
    bool ended;        /* the file has been read to its end */
    uint8_t *buffer;   /* owned; NULL: memory */
    size_t cap;
};

/* Each returns 0, or -1 with errno. Only a regular file can be opened: a directory is EISDIR,
 * anything else ESPIPE. */
int ix_source_open(struct ix_source *source, const char *path);
/* Sees to it that at least `want` bytes are in memory, or all that there are: test `left`. Bytes
 * seen before may move. */
int ix_source_fill(struct ix_source *source, size_t want);

void ix_source_memory(struct ix_source *source, const void *data, size_t size);
/* Goes forward by len <= left; the bytes stay where they are until the next fill. */
void ix_source_skip(struct ix_source *source, size_t len);
/* The size of the whole, as far as it can be known. */
uint64_t ix_source_size(const struct ix_source *source);
/* After the end: true if the file has grown since; then there is more to be filled. */
bool ix_source_grown(struct ix_source *source);
/* True if both are the same file. */
bool ix_source_same(const struct ix_source *a, const struct ix_source *b);
void ix_source_close(struct ix_source *source);

#endif
