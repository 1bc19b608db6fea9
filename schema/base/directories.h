/* SPDX-License-Identifier: Apache-2.0 */
/* Creates directories with their parents, as `mkdir -p` does. Existing ones are fine. Mode 0777
 * minus the umask. */
#ifndef IX_SCHEMA_DIRECTORIES_H
#define IX_SCHEMA_DIRECTORIES_H

#include "schema/base/error.h"

/* Creates `path` and its missing parents. 0, or -1; the message names the directory that cannot be
 * created. */
int ix_make_directory(const char *path, struct ix_error *err);

/* Creates the missing parents of `path`, but not `path` itself. */
int ix_make_parents(const char *path, struct ix_error *err);

#endif
