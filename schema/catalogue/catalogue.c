/* SPDX-License-Identifier: Apache-2.0 */
/* The catalogue's handle: opening, creating, migrating, transactions. */
#include "schema/catalogue/catalogue.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "schema/base/clock.h"
#include "schema/catalogue/dir.h"
#include "schema/catalogue/handle.h"

#define VERSION 3              /* the last part of catalogue.sql */
#define READABLE 2             /* the oldest that can be read as it is: read.c */
#define APPLICATION 0x49584f52 /* "IXOR" in SQLite's application_id */
#define STEPS 100000           /* of SQLite's, after which they are counted */
#define BUSY_MS 5000           /* how long to wait for another writer, at first */

static const char schema_sql[] =
#include "catalogue_sql.h"
    ;

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
             APPLICATION, version);
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

/* Migrates the catalogue by one version, unless another process has done so since `from` was
 * read. */
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

/* How many steps a statement on a file of that size may take: more than reading every row with all
 * its joins and sorting needs (some 50 a row, which has 10 bytes at least), and some seconds. */
static int64_t steps_for(off_t bytes)
{
    enum { ALWAYS = 20 * 1000 * 1000, A_BYTE = 20 };
    return ALWAYS + (int64_t)A_BYTE * bytes;
}

static off_t size_of(const char *file, const char *ending)
{
    char path[PATH_MAX + 8];
    struct stat s;
    snprintf(path, sizeof path, "%s%s", file, ending);
    return stat(path, &s) == 0 ? s.st_size : 0;
}

/* SQLite calls this periodically; 1 ends the statement. The file may have grown since. */
static int count_steps(void *user)
{
    struct ix_catalogue *c = user;
    c->steps += STEPS;
    if (c->steps <= c->most_steps)
        return 0;
    c->most_steps = steps_for(size_of(c->file, "") + size_of(c->file, "-wal"));
    return c->steps > c->most_steps;
}

/* A catalogue may come from an untrusted source. Reading would run SQL in it, such as an endless
 * view in place of a table, so that is disabled. A file whose pages refer to each other and so form
 * an endless table is stopped by the limit on steps. */
static int restrict_sql(struct ix_catalogue *c, struct ix_error *err)
{
    static const struct {
        int option, on;
    } settings[] = {{SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                    {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                    {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                    {SQLITE_DBCONFIG_DEFENSIVE, 1}};
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        if (sqlite3_db_config(c->db, settings[i].option, settings[i].on, NULL) != SQLITE_OK)
            return ix_catalogue_fail(c, "open it", err);
    if (!c->writable)
        sqlite3_progress_handler(c->db, STEPS, count_steps, c);
    return 0;
}

static int open_database(struct ix_catalogue *c, const char *name, int flags, struct ix_error *err)
{
    int rc = sqlite3_open_v2(name, &c->db, flags | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc != SQLITE_OK) {
        /* SQLite's own message does not say so. */
        const sqlite3_vfs *vfs = sqlite3_vfs_find(NULL); /* NULL: memory ran out at once */
        const int longest = vfs ? vfs->mxPathname : INT_MAX;
        if (strlen(c->real_dir) + strlen("/" IX_CATALOGUE_FILE "-journal") > (size_t)longest)
            return ix_fail(err,
                           "cannot open '%s': its path is longer than the %d bytes that SQLite "
                           "can open",
                           c->file, longest);
        return ix_fail(err, "cannot open '%s': %s", c->file,
                       c->db ? sqlite3_errmsg(c->db) : "out of memory");
    }
    ix_catalogue_patience(c, BUSY_MS);
    return restrict_sql(c, err);
}

/* Opens the file as immutable. SQLite must write next to a WAL database even for reading, which is
 * impossible in a directory without write permission and without a -shm file. */
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

/* Checks that what every version has as tables are tables: a view in place of one is not run
 * (restrict_sql), but the error message would be incomprehensible. */
static int check_tables(struct ix_catalogue *c, struct ix_error *err)
{
    static const char *const tables[] = {"campaign", "execution", "vm", "packet", "snapshot"};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        int rc = sqlite3_table_column_metadata(c->db, "main", tables[i], NULL, NULL, NULL, NULL,
                                               NULL, NULL);
        if (rc == SQLITE_ERROR)
            return ix_fail(err,
                           "'%s' is not a campaign: its " IX_CATALOGUE_FILE
                           " has no table '%s' (a view is none)",
                           c->dir, tables[i]);
        if (rc != SQLITE_OK)
            return ix_catalogue_fail(c, "read it", err);
    }
    return 0;
}

/* Checks that the database is Ixor's and of a known version: 0 for one that CREATE may fill. */
static int identify(struct ix_catalogue *c, enum ix_catalogue_mode mode, int64_t *version,
                    struct ix_error *err)
{
    int64_t application = 0, tables = 0;
    /* One transaction, so that no other process can migrate between the queries. */
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
    if (application == APPLICATION && *version <= VERSION)
        return check_tables(c, err);
    if (application == APPLICATION) {
        fail_newer(*version, VERSION, err);
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
    c->version = version;
    if (version < READABLE)
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
    for (int waited = 0; rc == SQLITE_BUSY && waited < BUSY_MS; waited += STEP_MS) {
        rc = sqlite3_exec(c->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL) & 0xff;
        if (rc == SQLITE_BUSY)
            sqlite3_sleep(STEP_MS);
    }
    return rc == SQLITE_OK ? 0 : ix_catalogue_fail(c, "switch it to WAL", err);
}

/* Records once which program created the campaign; checks first, because even inserting nothing
 * would wait for another writer. */
static int describe_campaign(struct ix_catalogue *c, struct ix_error *err)
{
    int64_t described = 0;
    sqlite3_stmt *s = NULL;
    if (query_int(c->db, "SELECT count(*) FROM campaign", &described) != SQLITE_OK)
        return ix_catalogue_fail(c, "read it", err);
    if (described)
        return 0;
    int rc = sqlite3_prepare_v2(c->db,
                                "INSERT INTO campaign VALUES (1, ?1, ?2 || ' ' || ?3) "
                                "ON CONFLICT DO NOTHING",
                                -1, &s, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_int64(s, 1, ix_real_ns());
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
    /* First, because SQLite cannot even read a WAL database in a directory it cannot write to. */
    if (sqlite3_db_readonly(c->db, "main"))
        return ix_fail(err, "'%s' cannot be written: no permission, or a read-only file system",
                       c->file);
    if (identify(c, mode, &version, err) != 0)
        return -1;
    if (switch_to_wal(c, err) != 0)
        return -1;
    /* Thousands of JVMs write to as many pages each few seconds: these stay in memory (64 MiB at
     * most), and go from the WAL to the database once for many changes (16 MiB). */
    if (sqlite3_exec(c->db,
                     "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; "
                     "PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 4096",
                     NULL, NULL, NULL) != SQLITE_OK)
        return ix_catalogue_fail(c, "configure it", err);
    if (ix_catalogue_migrate(c->db, schema_sql, VERSION, err) != 0)
        return ix_fail_in(err, "'%s'", c->file);
    c->version = VERSION;
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
    if (ix_catalogue_check_dir(dir, c->file, mode == IX_CATALOGUE_CREATE, err) != 0)
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
    for (size_t i = 0; i < IX_QUERIES_KEPT; i++)
        sqlite3_finalize(c->queries[i]);
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

const char *ix_catalogue_file(const struct ix_catalogue *c)
{
    return c->file;
}

/* ---- trouble ---- */

void ix_catalogue_patience(struct ix_catalogue *c, unsigned ms)
{
    c->patience_ms = ms;
    sqlite3_busy_timeout(c->db, (int)ms);
}

bool ix_catalogue_may_pass(const struct ix_catalogue *c)
{
    switch (sqlite3_errcode(c->db) & 0xff) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE:
    case SQLITE_ERROR: /* a table is missing */
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_RANGE:
    case SQLITE_TOOBIG:
        return false;
    }
    return true;
}

int ix_catalogue_in_place(struct ix_catalogue *c, struct ix_error *err)
{
    int moved = 0;
    if (sqlite3_file_control(c->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved)
        return ix_fail(err, "'%s' was removed, or something else is in its place", c->file);
    return 0;
}

/* ---- transactions ---- */

int ix_catalogue_begin(struct ix_catalogue *c, struct ix_error *err)
{
    /* A writer takes the lock now: a transaction that begins by reading cannot always continue to
     * write, and would fail half-way. */
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
