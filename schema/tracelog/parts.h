/* The files of a trace log that was written in parts (tracelog.md, Parts): PATH.1, PATH.2, ...
 * PATH. */
#ifndef IX_SCHEMA_TRACELOG_PARTS_H
#define IX_SCHEMA_TRACELOG_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "PATH.NUMBER", to be freed; NULL if memory ran out. */
char *ix_part_path(const char *path, uint32_t number);

/* Which parts of PATH have ended and are there. */
struct ix_parts {
    uint32_t *numbers; /* owned; ascending */
    size_t count;
};

/* Looks into PATH's directory. Only names that ix_part_path gives count (not PATH.0, PATH.01,
 * PATH.gz), whatever is behind them. A directory that cannot be listed has no parts. 0, or -1 if
 * memory ran out; to be freed in both cases. */
int ix_parts_find(struct ix_parts *parts, const char *path);
void ix_parts_free(struct ix_parts *parts);

#endif
