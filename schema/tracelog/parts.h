/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a trace log written in parts (tracelog.md, Parts): PATH.1, PATH.2, ... PATH. */
#ifndef IX_SCHEMA_TRACELOG_PARTS_H
#define IX_SCHEMA_TRACELOG_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "PATH.NUMBER", which the caller frees; NULL if memory ran out. */
char *ix_part_path(const char *path, uint32_t number);

/* The finished parts of PATH that exist. */
struct ix_parts {
    uint32_t *numbers; /* owned; ascending */
    size_t count;
};

/* Lists PATH's directory. Only names that ix_part_path gives are parts (not PATH.0, PATH.01,
 * PATH.gz), whatever kind of file they are. A directory that cannot be listed has no parts. 0, or
 * -1 if memory ran out; free it in both cases. */
int ix_parts_find(struct ix_parts *parts, const char *path);
void ix_parts_free(struct ix_parts *parts);

/* The parts that a writer has ended: first to next - 1. It is writing the part `next`. */
struct ix_ended_parts {
    uint32_t first, next;
    uint64_t *sizes; /* owned; in bytes, of the part first + i */
    size_t cap;
    uint64_t bytes; /* of all these parts */
    uint64_t limit; /* together with the one being written; 0: none */
};

void ix_ended_parts_init(struct ix_ended_parts *ended); /* none, no limit */
void ix_ended_parts_free(struct ix_ended_parts *ended);
/* Reserves memory for one more; -1 if it ran out. Then ix_ended_parts_add cannot fail: the part
 * `next` has ended and has `size` bytes. */
int ix_ended_parts_reserve(struct ix_ended_parts *ended);
void ix_ended_parts_add(struct ix_ended_parts *ended, uint64_t size);
/* Removes the oldest parts of PATH until the others and `writing`, the bytes of the part being
 * written, are within the limit, or none is left. O(parts) for each that is removed. */
void ix_ended_parts_reduce(struct ix_ended_parts *ended, const char *path, uint64_t writing);

#endif
