/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/catalogue/handle.h"

#include <stdio.h>

int ix_catalogue_fail(struct ix_catalogue *c, const char *doing, struct ix_error *err)
{
    char hint[128] = "";
    switch (sqlite3_errcode(c->db) & 0xff) {
    case SQLITE_BUSY:
        snprintf(hint, sizeof hint,
                 " (another program is writing to it and did not finish within %g s)",
                 c->patience_ms / 1000.0);
        break;
    case SQLITE_INTERRUPT:
        return ix_fail(err,
                       "'%s': cannot %s: reading takes too long for a file of its size: it "
                       "is damaged, or was crafted",
                       c->file, doing);
    case SQLITE_CORRUPT:
        snprintf(hint, sizeof hint,
                 " (it is damaged, the trace logs in runs/ need not be; restore a copy of it, or "
                 "try sqlite3's .recover)");
        break;
    case SQLITE_CANTOPEN:
        snprintf(hint, sizeof hint, " (SQLite must be able to make files in the same directory)");
        break;
    }
    return ix_fail(err, "'%s': cannot %s: %s%s", c->file, doing, sqlite3_errmsg(c->db), hint);
}
