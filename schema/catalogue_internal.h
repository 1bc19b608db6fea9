/* What the catalogue's source files share; nobody else includes it. */
#ifndef IX_SCHEMA_CATALOGUE_INTERNAL_H
#define IX_SCHEMA_CATALOGUE_INTERNAL_H

#include <sqlite3.h>

#include "schema/catalogue.h"

#define IX_CATALOGUE_FILE "campaign.db"
#define IX_CATALOGUE_VERSION 2              /* the last part of catalogue.sql */
#define IX_CATALOGUE_APPLICATION 0x49584f52 /* "IXOR" in SQLite's application_id */
#define IX_CATALOGUE_BUSY_MS 5000           /* how long to wait for another writer */
#define IX_EXECUTION_NAME_MAX 200           /* bytes: names become parts of file names */

/* Statements that are prepared at their first use and kept; their SQL is in catalogue_write.c. */
enum ix_statement {
    IX_ADD_EXECUTION,
    IX_END_EXECUTION,
    IX_LABEL_EXECUTION,
    IX_REMOVE_EXECUTION,
    IX_ADD_VM,
    IX_COUNT_VM,
    IX_END_VM,
    IX_COUNT_LATE,
    IX_ADD_CLOCK,
    IX_SET_CLOCK,
    IX_END_RUNNING_VMS,
    IX_SET_LOG,
    IX_ADD_PACKET,
    IX_CLOSE_PACKET,
    IX_ADD_SNAPSHOT,
    IX_ADD_MARK,
    IX_STATEMENTS,
};

/* Questions that are kept prepared when they have been answered: a viewer asks the same ones again
 * and again, of thousands of VMs. */
#define IX_ASKED 8

struct ix_catalogue {
    sqlite3 *db;
    bool writable;
    char *dir;      /* as the caller gave it */
    char *real_dir; /* without symbolic links */
    char *file;     /* dir/campaign.db, for messages */
    sqlite3_stmt *statements[IX_STATEMENTS];
    sqlite3_stmt *asked[IX_ASKED]; /* none of them in use; the newest first, then NULL */
};

/* "'FILE': cannot DOING: why", from the handle's last SQLite error; returns -1. */
int ix_catalogue_fail(struct ix_catalogue *c, const char *doing, struct ix_error *err);

/* Fails because no execution has this name; the message lists the nearest ones. Returns -1. */
int ix_catalogue_fail_unknown(struct ix_catalogue *c, const char *name, struct ix_error *err);

/* catalogue_read.c: a statement with ?1, ?2, ... set to `values`, for ix_catalogue_answered; NULL on
 * failure. */
sqlite3_stmt *ix_catalogue_ask(struct ix_catalogue *c, const char *sql, const int64_t *values,
                               int count, struct ix_error *err);
/* Ends a statement that stopped at `step` (not SQLITE_ROW), or because a callback gave `given`. */
int ix_catalogue_answered(struct ix_catalogue *c, sqlite3_stmt *s, int step, int given,
                          struct ix_error *err);
/* The one number that a query gives; *number stays as it is if there is none. */
int ix_catalogue_ask_number(struct ix_catalogue *c, const char *sql, const int64_t *values,
                            int count, int64_t *number, struct ix_error *err);

/* catalogue_dir.c: the campaign's directory before SQLite looks at it. Sees to it that DIR is a
 * directory with a catalogue or, for CREATE, makes it or finds it empty. `file` is DIR's
 * campaign.db. */
int ix_catalogue_check_dir(const char *dir, const char *file, enum ix_catalogue_mode mode,
                           struct ix_error *err);
/* The path of a log as the catalogue stores it; the caller frees it. NULL on failure. */
char *ix_catalogue_stored_log(const struct ix_catalogue *c, const char *log, struct ix_error *err);
/* The other way: a stored path as one that can be opened. */
char *ix_catalogue_openable_log(const struct ix_catalogue *c, const char *stored,
                                struct ix_error *err);
/* The same as an absolute path: where the VM wrote it, on its host. */
char *ix_catalogue_absolute_log(const struct ix_catalogue *c, const char *stored,
                                struct ix_error *err);

#endif
