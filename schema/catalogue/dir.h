/* SPDX-License-Identifier: Apache-2.0 */
/* A campaign's directory: checking it, creating it, and paths of logs inside it. */
#ifndef IX_SCHEMA_CATALOGUE_DIR_H
#define IX_SCHEMA_CATALOGUE_DIR_H

#include "schema/catalogue/handle.h"

#define IX_CATALOGUE_FILE "campaign.db" /* in the campaign's directory */

/* Call before SQLite opens `file`, DIR's campaign.db: checks that DIR is a directory with a
 * catalogue; with `create`, creates the directory or checks that it is empty. */
int ix_catalogue_check_dir(const char *dir, const char *file, bool create, struct ix_error *err);

/* The path of a log as the catalogue stores it; the caller frees it. NULL on failure. */
char *ix_catalogue_stored_log(const struct ix_catalogue *c, const char *log, struct ix_error *err);
/* The reverse: turns a stored path into one that can be opened. */
char *ix_catalogue_openable_log(const struct ix_catalogue *c, const char *stored,
                                struct ix_error *err);
/* A stored path as an absolute one: where the JVM wrote the log, on its host. */
char *ix_catalogue_absolute_log(const struct ix_catalogue *c, const char *stored,
                                struct ix_error *err);

#endif
