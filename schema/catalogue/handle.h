/* SPDX-License-Identifier: Apache-2.0 */
/* An open catalogue; only for the source files of this folder. */
#ifndef IX_SCHEMA_CATALOGUE_HANDLE_H
#define IX_SCHEMA_CATALOGUE_HANDLE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/base/error.h"

#define IX_EXECUTION_NAME_MAX 200 /* bytes: names become parts of file names */

/* Statements prepared at first use and kept; their SQL is in write.c. */
enum ix_statement {
    IX_ADD_EXECUTION,
    IX_END_EXECUTION,
    IX_DISTURB_EXECUTION,
    IX_LABEL_EXECUTION,
    IX_REMOVE_EXECUTION,
    IX_ADD_VM,
    IX_COUNT_VM,
    IX_END_VM,
    IX_COUNT_LATE,
    IX_ADD_CLOCK,
    IX_SET_CLOCK,
    IX_END_RUNNING_VMS,
    IX_MARK_OPEN_COMMANDS,
    IX_END_OPEN_COMMANDS,
    IX_SET_LOG,
    IX_ADD_PACKET,
    IX_CLOSE_PACKET,
    IX_ADD_SNAPSHOT,
    IX_ADD_MARK,
    IX_STATEMENTS,
};

/* How many finished queries stay prepared (query.h): a viewer repeats the same few for thousands of
 * JVMs. */
#define IX_QUERIES_KEPT 8

struct ix_catalogue {
    sqlite3 *db;
    bool writable;
    int64_t version;      /* of its schema when it was opened, or after migration */
    unsigned patience_ms; /* how long to wait for another writer */
    char *dir;            /* as the caller gave it */
    char *real_dir;       /* without symbolic links */
    char *file;           /* dir/campaign.db, for messages */
    size_t queries_open;  /* begun but not ended */
    int64_t steps,
        most_steps; /* taken since no query was open, and allowed; if opened for reading */
    sqlite3_stmt *statements[IX_STATEMENTS];
    sqlite3_stmt *queries[IX_QUERIES_KEPT]; /* not in use; the newest first, then NULL */
};

/* "'FILE': cannot DOING: why", from the handle's last SQLite error; returns -1. */
int ix_catalogue_fail(struct ix_catalogue *c, const char *doing, struct ix_error *err);

#endif
