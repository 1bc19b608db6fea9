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

#endif
