/* Directories made with the ones above them, as `mkdir -p` does: those that exist are fine. Mode
 * 0777 without the umask's bits. */
#ifndef IX_SCHEMA_DIRECTORIES_H
#define IX_SCHEMA_DIRECTORIES_H

#include "schema/error.h"

/* Makes `path` and what is missing above it. 0, or -1 with the directory that cannot be made. */
int ix_make_directory(const char *path, struct ix_error *err);

/* Makes what is missing above `path`, not `path` itself. */
int ix_make_parents(const char *path, struct ix_error *err);

#endif
