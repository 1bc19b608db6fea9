/* SPDX-License-Identifier: Apache-2.0 */
/* Copies all rows of one catalogue into another: runs, JVMs, packets, snapshots, clocks, marks. */
#ifndef IX_SCHEMA_CATALOGUE_COPY_H
#define IX_SCHEMA_CATALOGUE_COPY_H

#include "schema/catalogue/catalogue.h"

/* What becomes of texts that must differ in the copy. Both return a string that the copy frees, or
 * NULL with a message. */
struct ix_catalogue_renaming {
    char *(*run)(void *user, const char *name, struct ix_error *err);
    /* `run`: the number of the log's run where it is copied from. `stored`: the path as in the
     * catalogue, relative to its directory or absolute. */
    char *(*log)(void *user, int64_t run, const char *stored, struct ix_error *err);
    void *user;
};

/* Appends everything in `from` to `to`, in the same order; numbers of runs, JVMs and marks continue
 * those in `to`. The row of the table campaign is not copied: `to` has its own. The caller begins
 * and commits a transaction in `to`, and in `from` if somebody may write to it. 0, or -1; then the
 * caller rolls back. O(rows). */
int ix_catalogue_copy(struct ix_catalogue *to, struct ix_catalogue *from,
                      const struct ix_catalogue_renaming *renaming, struct ix_error *err);

/* When the campaign was created, in ns since 1970: two directories with the same value are copies
 * of one campaign. 0 or -1. */
int ix_catalogue_created(struct ix_catalogue *c, int64_t *created_ns, struct ix_error *err);

#endif
