/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the catalogue's tests: what calls say, catalogues in the test's temporary directory,
 * and SQL on them. If something is not as it should be, the test fails. */
#ifndef IX_TESTS_CATALOGUE_FIXTURE_H
#define IX_TESTS_CATALOGUE_FIXTURE_H

#include <sqlite3.h>

#include "schema/base/error.h"
#include "schema/catalogue/catalogue.h"

extern struct ix_error err; /* of the latest call */

/* The call succeeded: it returned 0. */
void must(int result);
/* These words are in the latest error. */
void says(const char *words);

/* Opens the campaign of that name; the caller closes it. */
struct ix_catalogue *opened(const char *name, enum ix_catalogue_mode mode);
/* It cannot be opened; the error names it and says why. */
void not_opened(const char *name, enum ix_catalogue_mode mode, const char *why);
void add_run(struct ix_catalogue *c, const char *name);
int count_runs(struct ix_catalogue *c);
/* For ix_catalogue_executions: counts them in an int. Fails no test. */
int count_run(void *count, const struct ix_execution *e);

/* The database in that file; the caller closes it. */
sqlite3 *raw(const char *name);
void run_sql(sqlite3 *db, const char *sql);
/* The first column of the first row, in a buffer that the next call reuses; "" if there is none. */
const char *value(sqlite3 *db, const char *sql);

#endif
