/* The catalogue's handle: opening, creating, migrating, transactions. */
#include "schema/catalogue.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "schema/catalogue_internal.h"

static const char schema_sql[] =
#include "catalogue_sql.h"
    ;

int ix_catalogue_fail(struct ix_catalogue *c, const char *doing, struct ix_error *err)
{
    const char *hint = "";
    switch (sqlite3_errcode(c->db) & 0xff) {
    case SQLITE_BUSY:
        hint = " (another program is writing to it and did not finish within 5 s)";
        break;
    case SQLITE_CANTOPEN:
        hint = " (SQLite must be able to make files in the same directory)";
        break;
    }
    return ix_fail(err, "'%s': cannot %s: %s%s", c->file, doing, sqlite3_errmsg(c->db), hint);
}

/* ---- migrating ---- */

/* Runs a query of one row and one integer; an SQLite result code. */
static int query_int(sqlite3 *db, const char *sql, int64_t *value)
{
    sqlite3_stmt *s = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &s, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(s);
    if (rc == SQLITE_ROW)
        *value = sqlite3_column_int64(s, 0);
    int finalized = sqlite3_finalize(s);
    return rc == SQLITE_ROW ? SQLITE_OK : finalized != SQLITE_OK ? finalized : rc;
}

/* The text of the part "-- version `version`", as a string that the caller frees; NULL if there
 * is none (or no memory for it). */
static char *part_of(const char *sql, int version)
{
    static const char mark[] = "-- version ";
    const char *start = NULL, *end = NULL;
    for (const char *line = sql; line && *line && !end;) {
        const char *next = strchr(line, '\n');
        if (strncmp(line, mark, sizeof mark - 1) == 0) {
            if (start)
                end = line;
            else if (strtol(line + sizeof mark - 1, NULL, 10) == version)
                start = next;
        }
        line = next ? next + 1 : NULL;
    }
    if (!start)
        return NULL;
    return end ? strndup(start, (size_t)(end - start)) : strdup(start);
}

/* Runs the statements of one part inside the transaction that the caller has begun. */
static int apply_part(sqlite3 *db, const char *sql, int version)
{
    char *part = part_of(sql, version);
    if (!part)
        return SQLITE_NOTFOUND;
    int rc = sqlite3_exec(db, part, NULL, NULL, NULL);
    free(part);
    char pragmas[96];
    snprintf(pragmas, sizeof pragmas, "PRAGMA application_id = %d; PRAGMA user_version = %d",
             IX_CATALOGUE_APPLICATION, version);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(db, pragmas, NULL, NULL, NULL);
    return rc;
}

static int fail_newer(int64_t version, int known, struct ix_error *err)
{
    return ix_fail(err,
                   "the catalogue is of version %lld, and this program knows versions up to %d: "
                   "it was written by a newer release; upgrade this one",
                   (long long)version, known);
}

/* Takes the catalogue one version on, unless another process has done so since `from` was read. */
static int migrate_once(sqlite3 *db, const char *sql, int64_t from, struct ix_error *err)
{
    int64_t now = from;
    int rc = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    if (rc != SQLITE_OK)
        return ix_fail(err, "cannot bring the catalogue to version %lld: %s", (long long)from + 1,
                       sqlite3_errmsg(db));
    rc = query_int(db, "PRAGMA user_version", &now);
    if (rc == SQLITE_OK && now == from)
        rc = apply_part(db, sql, (int)from + 1);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        return 0;
    ix_fail(err, "cannot bring the catalogue to version %lld: %s", (long long)from + 1,
            rc == SQLITE_NOTFOUND ? "there is no such part" : sqlite3_errmsg(db));
    sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return -1;
}

int ix_catalogue_migrate(void *db, const char *sql, int upto, struct ix_error *err)
{
    for (;;) {
        int64_t version;
        if (query_int(db, "PRAGMA user_version", &version) != SQLITE_OK)
            return ix_fail(err, "cannot read the catalogue's version: %s", sqlite3_errmsg(db));
        if (version > upto)
            return fail_newer(version, upto, err);
        if (version == upto)
            return 0;
        if (migrate_once(db, sql, version, err) != 0)
            return -1;
    }
}

/* ---- opening ---- */

static int open_database(struct ix_catalogue *c, const char *name, int flags, struct ix_error *err)
{
    int rc = sqlite3_open_v2(name, &c->db, flags | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc != SQLITE_OK) {
        /* SQLite's own message does not say so. */
        int longest = sqlite3_vfs_find(NULL)->mxPathname;
        if (strlen(c->real_dir) + strlen("/" IX_CATALOGUE_FILE "-journal") > (size_t)longest)
            return ix_fail(err, "cannot open '%s': its path is longer than the %d bytes that SQLite "
                                "can open", c->file, longest);
        return ix_fail(err, "cannot open '%s': %s", c->file,
                       c->db ? sqlite3_errmsg(c->db) : "out of memory");
    }
    sqlite3_busy_timeout(c->db, IX_CATALOGUE_BUSY_MS);
    return 0;
}

/* Opens the file as one that nobody changes. SQLite needs to write next to a WAL database even for
 * reading, which is impossible in a directory without write permission that has no -shm file. */
static int open_immutable(struct ix_catalogue *c, struct ix_error *err)
{
    char uri[3 * PATH_MAX + 32], wal[PATH_MAX + 8];
    struct stat s;
    snprintf(wal, sizeof wal, "%s-wal", c->file);
    if (stat(wal, &s) == 0 && s.st_size > 0)
        return ix_fail(err,
                       "cannot open '%s': its last changes are still in '%s', and reading them "
                       "needs write permission in the directory (or a copy of it)",
                       c->file, wal);
    size_t used = (size_t)snprintf(uri, sizeof uri, "file:");
    for (const char *p = c->file; *p && used + 4 < sizeof uri; p++)
        used += (size_t)snprintf(uri + used, sizeof uri - used,
                                 *p == '?' || *p == '#' || *p == '%' ? "%%%02X" : "%c",
                                 (unsigned char)*p);
    snprintf(uri + used, sizeof uri - used, "?immutable=1");
    sqlite3_close(c->db);
    c->db = NULL;
    return open_database(c, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, err);
}

/* Whose database it is, and a version that this program knows: 0 for one that CREATE may fill. */
static int identify(struct ix_catalogue *c, enum ix_catalogue_mode mode, int64_t *version,
                    struct ix_error *err)
{
    int64_t application = 0, tables = 0;
    /* One transaction, or another process's migration could come between the answers. */
    int rc = sqlite3_exec(c->db, "BEGIN", NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = query_int(c->db, "SELECT count(*) FROM sqlite_schema", &tables);
    if (rc == SQLITE_OK)
        rc = query_int(c->db, "PRAGMA application_id", &application);
    if (rc == SQLITE_OK)
        rc = query_int(c->db, "PRAGMA user_version", version);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(c->db, "COMMIT", NULL, NULL, NULL);
    if ((rc & 0xff) == SQLITE_NOTADB)
        return ix_fail(
            err, "'%s' is not a campaign: its " IX_CATALOGUE_FILE " is not an SQLite database",
            c->dir);
    if (rc != SQLITE_OK)
        return ix_catalogue_fail(c, "read it", err);
    bool blank = application == 0 && *version == 0 && tables == 0;
    if (blank && mode == IX_CATALOGUE_CREATE)
        return 0;
    if (blank)
        return ix_fail(err, "'%s' is not a campaign: its " IX_CATALOGUE_FILE " is empty", c->dir);
    if (application == IX_CATALOGUE_APPLICATION && *version <= IX_CATALOGUE_VERSION)
        return 0;
    if (application == IX_CATALOGUE_APPLICATION) {
        fail_newer(*version, IX_CATALOGUE_VERSION, err);
        return ix_fail_in(err, "'%s'", c->file);
    }
    return ix_fail(
        err, "'%s' is not a campaign: its " IX_CATALOGUE_FILE " is a database of another program",
        c->dir);
}

static int open_for_reading(struct ix_catalogue *c, enum ix_catalogue_mode mode,
                            struct ix_error *err)
{
    if (open_database(c, c->file, SQLITE_OPEN_READONLY, err) != 0)
        return -1;
    int64_t version;
    int rc = query_int(c->db, "SELECT count(*) FROM sqlite_schema", &version) & 0xff;
    if ((rc == SQLITE_CANTOPEN || rc == SQLITE_READONLY) && open_immutable(c, err) != 0)
        return -1;
    if (identify(c, mode, &version, err) != 0)
        return -1;
    if (version < IX_CATALOGUE_VERSION)
        return ix_fail(err,
                       "'%s' was written by an older release; any command that writes to it, such "
                       "as ixor label, brings it up to date",
                       c->file);
    return 0;
}

/* WAL lets others read while one writes. SQLite does not always wait for its turn when two
 * processes want to switch at once, so this waits itself. */
static int switch_to_wal(struct ix_catalogue *c, struct ix_error *err)
{
    enum { STEP_MS = 10 };
    int rc = SQLITE_BUSY;
    for (int waited = 0; rc == SQLITE_BUSY && waited < IX_CATALOGUE_BUSY_MS; waited += STEP_MS) {
        rc = sqlite3_exec(c->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL) & 0xff;
        if (rc == SQLITE_BUSY)
            sqlite3_sleep(STEP_MS);
    }
    return rc == SQLITE_OK ? 0 : ix_catalogue_fail(c, "switch it to WAL", err);
}

/* Says who made the campaign, once; looks first, because inserting nothing would still wait for
 * another writer. */
static int describe_campaign(struct ix_catalogue *c, struct ix_error *err)
{
    int64_t described = 0;
    sqlite3_stmt *s = NULL;
    if (query_int(c->db, "SELECT count(*) FROM campaign", &described) != SQLITE_OK)
        return ix_catalogue_fail(c, "read it", err);
    if (described)
        return 0;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int rc = sqlite3_prepare_v2(c->db,
                                "INSERT INTO campaign VALUES (1, ?1, ?2 || ' ' || ?3) "
                                "ON CONFLICT DO NOTHING",
                                -1, &s, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_int64(s, 1, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_text(s, 2, program_invocation_short_name, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_text(s, 3, IXOR_VERSION, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(s);
    rc = rc == SQLITE_DONE ? 0 : ix_catalogue_fail(c, "write to it", err);
    sqlite3_finalize(s);
    return rc;
}

static int open_for_writing(struct ix_catalogue *c, enum ix_catalogue_mode mode,
                            struct ix_error *err)
{
    int create = mode == IX_CATALOGUE_CREATE ? SQLITE_OPEN_CREATE : 0;
    int64_t version;
    if (open_database(c, c->file, SQLITE_OPEN_READWRITE | create, err) != 0)
        return -1;
    /* First, because SQLite cannot even look at a WAL database that it must not write next to. */
    if (sqlite3_db_readonly(c->db, "main"))
        return ix_fail(err, "'%s' cannot be written: no permission, or a read-only file system",
                       c->file);
    if (identify(c, mode, &version, err) != 0)
        return -1;
    if (switch_to_wal(c, err) != 0)
        return -1;
    /* Thousands of VMs write to as many pages each few seconds: these stay in memory (64 MiB at most),
     * and go from the WAL to the database once for many changes (16 MiB). */
    if (sqlite3_exec(c->db,
                     "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; "
                     "PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 4096",
                     NULL, NULL, NULL) != SQLITE_OK)
        return ix_catalogue_fail(c, "configure it", err);
    if (ix_catalogue_migrate(c->db, schema_sql, IX_CATALOGUE_VERSION, err) != 0)
        return ix_fail_in(err, "'%s'", c->file);
    return describe_campaign(c, err);
}

struct ix_catalogue *ix_catalogue_open(const char *dir, enum ix_catalogue_mode mode,
                                       struct ix_error *err)
{
    struct ix_catalogue *c = calloc(1, sizeof *c);
    if (!c) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    c->dir = strdup(dir);
    if (asprintf(&c->file, "%s/" IX_CATALOGUE_FILE, dir) < 0)
        c->file = NULL;
    if (!c->dir || !c->file) {
        ix_fail(err, "out of memory");
        goto fail;
    }
    c->writable = mode != IX_CATALOGUE_READ;
    if (ix_catalogue_check_dir(dir, c->file, mode, err) != 0)
        goto fail;
    c->real_dir = realpath(dir, NULL);
    if (!c->real_dir) {
        ix_fail(err, "cannot open the campaign '%s': %s", dir, strerror(errno));
        goto fail;
    }
    if ((c->writable ? open_for_writing(c, mode, err) : open_for_reading(c, mode, err)) == 0)
        return c;
fail:
    ix_catalogue_close(c);
    return NULL;
}

void ix_catalogue_close(struct ix_catalogue *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < IX_STATEMENTS; i++)
        sqlite3_finalize(c->statements[i]);
    for (size_t i = 0; i < IX_ASKED; i++)
        sqlite3_finalize(c->asked[i]);
    sqlite3_close(c->db);
    free(c->dir);
    free(c->real_dir);
    free(c->file);
    free(c);
}

const char *ix_catalogue_dir(const struct ix_catalogue *c)
{
    return c->dir;
}

/* ---- transactions ---- */

int ix_catalogue_begin(struct ix_catalogue *c, struct ix_error *err)
{
    /* A writer takes its turn now: a transaction that begins by reading cannot always go on to
     * write, and would fail in its middle. */
    const char *sql = c->writable ? "BEGIN IMMEDIATE" : "BEGIN";
    if (sqlite3_exec(c->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        return ix_catalogue_fail(c, "begin a transaction", err);
    return 0;
}

int ix_catalogue_commit(struct ix_catalogue *c, struct ix_error *err)
{
    if (sqlite3_exec(c->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        return ix_catalogue_fail(c, "commit", err);
    return 0;
}

void ix_catalogue_rollback(struct ix_catalogue *c)
{
    if (!sqlite3_get_autocommit(c->db))
        sqlite3_exec(c->db, "ROLLBACK", NULL, NULL, NULL);
}
