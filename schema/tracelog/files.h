/* SPDX-License-Identifier: Apache-2.0 */
/* The files that a trace log's reader reads in turn: the finished parts, then the file at PATH
 * (tracelog.md, Parts). Only files that exist when the log is opened are read. Its writer may
 * meanwhile turn PATH into a part, or remove parts that have not been read yet; these are then left
 * out. */
#ifndef IX_SCHEMA_TRACELOG_FILES_H
#define IX_SCHEMA_TRACELOG_FILES_H

#include "schema/tracelog/parts.h"
#include "schema/tracelog/source.h"

struct ix_files {
    char *path; /* owned */
    struct ix_parts parts;
    size_t at;             /* index of the next part that was seen */
    uint32_t tried;        /* number of the last part that was looked for; 0 none */
    struct ix_source last; /* PATH, as it was when the log was opened */
    bool has_last;         /* `last` is still to be read */
};

/* 0, or -1 with errno (of ix_source_open, or ENOENT if there is neither PATH nor a part); then
 * there is nothing to close. */
int ix_files_open(struct ix_files *files, const char *path);
/* Opens the next file and returns its name, which the caller frees: 1; 0 after the last; -1 with
 * errno, and with *name unless memory ran out. */
int ix_files_next(struct ix_files *files, struct ix_source *source, char **name);
/* May be all zero. */
void ix_files_close(struct ix_files *files);

#endif
