/* The files that a trace log's reader goes through: the parts that ended, then the one at PATH
 * (tracelog.md, Parts). What is there when the log is opened is read, no more: its writer may go on
 * and turn PATH into a part, or remove parts that have not been read yet, which are left out then. */
#ifndef IX_SCHEMA_TRACELOG_FILES_H
#define IX_SCHEMA_TRACELOG_FILES_H

#include "schema/tracelog_parts.h"
#include "schema/tracelog_source.h"

struct ix_files {
    char *path; /* owned */
    struct ix_parts parts;
    size_t at;             /* of the parts: the next one that was seen */
    uint32_t tried;        /* number of the last one that was looked for; 0 none */
    struct ix_source last; /* PATH, as it was when the log was opened */
    bool has_last;         /* it is still to be read */
};

/* 0, or -1 with errno (ix_source_open's, or ENOENT where there is neither PATH nor a part); then there
 * is nothing to be closed. */
int ix_files_open(struct ix_files *files, const char *path);
/* Opens the next one and names it, to be freed: 1; 0 after the last; -1 with errno, and with *name if
 * memory did not run out. */
int ix_files_next(struct ix_files *files, struct ix_source *source, char **name);
/* All zero is fine, too. */
void ix_files_close(struct ix_files *files);

#endif
