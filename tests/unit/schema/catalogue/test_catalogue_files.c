/* SPDX-License-Identifier: Apache-2.0 */
/* Real catalogue files: making and refusing them, and several processes at one of them. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "schema/catalogue/catalogue.h"
#include "tests/support/catalogue_fixture.h"
#include "tests/support/tempdir.h"

static void write_file(const char *name, const char *text)
{
    FILE *f = fopen(in_tempdir(name), "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void make_dir(const char *name)
{
    assert_int_equal(mkdir(in_tempdir(name), 0777), 0);
}

/* ---- making and opening ---- */

static void create_makes_parents_and_opens_again(void **state)
{
    (void)state;
    struct ix_catalogue *c = opened("a/b/camp/", IX_CATALOGUE_CREATE);
    assert_string_equal(ix_catalogue_dir(c), in_tempdir("a/b/camp/"));
    add_run(c, "one");
    ix_catalogue_close(c);
    c = opened("a/b/camp", IX_CATALOGUE_CREATE);
    add_run(c, "two");
    ix_catalogue_close(c);
    c = opened("a/b/camp", IX_CATALOGUE_READ);
    assert_int_equal(count_runs(c), 2);
    int64_t id;
    assert_int_equal(ix_catalogue_add_execution(c, "three", NULL, 0, &id, &err), -1);
    says("readonly");
    ix_catalogue_close(c);
    ix_catalogue_close(NULL);

    sqlite3 *db = raw("a/b/camp/campaign.db");
    assert_string_equal(value(db, "PRAGMA journal_mode"), "wal");
    assert_string_equal(value(db, "PRAGMA application_id"), "1230524242"); /* "IXOR" */
    assert_string_equal(value(db, "SELECT count(*) || ' ' || created_by FROM campaign"),
                        "1 test_catalogue_files " IXOR_VERSION);
    sqlite3_close(db);
}

static void directories_that_are_no_campaigns(void **state)
{
    (void)state;
    static const enum ix_catalogue_mode must_exist[] = {IX_CATALOGUE_READ, IX_CATALOGUE_WRITE};
    make_dir("empty");
    write_file("file", "x");
    for (size_t i = 0; i < 2; i++) {
        enum ix_catalogue_mode mode = must_exist[i];
        not_opened("nowhere", mode, "no such directory (ixor run --out ");
        not_opened("empty", mode, "is not a campaign: there is no campaign.db in it (ixor run");
    }
    for (int mode = IX_CATALOGUE_READ; mode <= IX_CATALOGUE_CREATE; mode++)
        not_opened("file", mode, "a campaign is a directory");
    not_opened("file/x", IX_CATALOGUE_CREATE, "Not a directory");
    assert_null(ix_catalogue_open("", IX_CATALOGUE_CREATE, &err));
    assert_int_equal(access(in_tempdir("nowhere"), F_OK), -1);
    ix_catalogue_close(opened("empty", IX_CATALOGUE_CREATE));
}

static void create_refuses_other_peoples_directories(void **state)
{
    (void)state;
    make_dir("home");
    write_file("home/thesis.tex", "x");
    not_opened("home", IX_CATALOGUE_CREATE, "it holds thesis.tex; give");
    write_file("home/b", "x");
    write_file("home/c", "x");
    write_file("home/d", "x");
    not_opened("home", IX_CATALOGUE_CREATE, " and more");
    assert_int_equal(access(in_tempdir("home/campaign.db"), F_OK), -1);
}

static void files_that_are_no_catalogues(void **state)
{
    (void)state;
    make_dir("text");
    write_file("text/campaign.db",
               "This is not a database, but it is long enough to be looked at.\n"
               "A second line, and a third.\n");
    make_dir("other");
    sqlite3 *db = raw("other/campaign.db");
    run_sql(db, "CREATE TABLE songs (title TEXT)");
    make_dir("version");
    sqlite3 *only_version = raw("version/campaign.db");
    run_sql(only_version, "PRAGMA user_version = 1");
    sqlite3_close(only_version);
    make_dir("dir");
    make_dir("dir/campaign.db");
    for (int mode = IX_CATALOGUE_READ; mode <= IX_CATALOGUE_CREATE; mode++) {
        not_opened("text", mode, "is not an SQLite database");
        not_opened("other", mode, "a database of another program");
        not_opened("version", mode, "a database of another program");
        not_opened("dir", mode, "campaign.db is no file");
    }
    assert_string_equal(value(db, "PRAGMA journal_mode"), "delete"); /* it was left alone */
    sqlite3_close(db);

    /* What a crash between making the file and filling it leaves can be created again only. */
    make_dir("blank");
    write_file("blank/campaign.db", "");
    not_opened("blank", IX_CATALOGUE_READ, "campaign.db is empty");
    not_opened("blank", IX_CATALOGUE_WRITE, "campaign.db is empty");
    ix_catalogue_close(opened("blank", IX_CATALOGUE_CREATE));
}

/* ---- several processes ---- */

/* Runs `child` in a process of its own, which tells by a byte that it has come to its end of the
 * work, and then waits until its input is closed. */
struct process {
    pid_t pid;
    int from, to;
};

static struct process start(void (*child)(void))
{
    int up[2], down[2];
    assert_int_equal(pipe(up), 0);
    assert_int_equal(pipe(down), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        char byte = 'x';
        close(up[0]);
        close(down[1]);
        child();
        if (write(up[1], &byte, 1) == 1 && read(down[0], &byte, 1) == 0)
            _exit(0);
        _exit(3);
    }
    close(up[1]);
    close(down[0]);
    return (struct process){pid, up[0], down[1]};
}

/* True when the child has said that it is there, false when it ended before. */
static bool arrived(struct process *p)
{
    char byte;
    return read(p->from, &byte, 1) == 1;
}

static int finish(struct process *p)
{
    int status = -1;
    close(p->to);
    close(p->from);
    assert_int_equal(waitpid(p->pid, &status, 0), p->pid);
    return status;
}

static const char *shared = "camp"; /* the campaign that children open */

/* In a child: its parent sees the exit status. */
static struct ix_catalogue *child_opened(enum ix_catalogue_mode mode)
{
    struct ix_catalogue *c = ix_catalogue_open(in_tempdir(shared), mode, &err);
    if (!c) {
        fprintf(stderr, "child: %s\n", err.text);
        _exit(4);
    }
    return c;
}

static void write_half(void)
{
    struct ix_catalogue *c = child_opened(IX_CATALOGUE_WRITE);
    int64_t id;
    if (ix_catalogue_begin(c, &err) != 0)
        _exit(5);
    for (int i = 0; i < 2000; i++) {
        char name[32];
        snprintf(name, sizeof name, "half %d", i);
        if (ix_catalogue_add_execution(c, name, NULL, 0, &id, &err) != 0)
            _exit(6);
    }
}

static void readers_do_not_wait_for_a_writer(void **state)
{
    (void)state;
    struct ix_catalogue *c = opened("camp", IX_CATALOGUE_CREATE);
    add_run(c, "one");
    ix_catalogue_close(c);
    struct process writer = start(write_half);
    assert_true(arrived(&writer)); /* and holds its transaction open */
    c = opened("camp", IX_CATALOGUE_READ);
    assert_int_equal(count_runs(c), 1);
    ix_catalogue_close(c);
    assert_int_equal(finish(&writer), 0);
}

static void a_killed_writer_leaves_a_whole_catalogue(void **state)
{
    (void)state;
    struct ix_catalogue *c = opened("camp", IX_CATALOGUE_CREATE);
    add_run(c, "one");
    ix_catalogue_close(c);
    struct process writer = start(write_half);
    assert_true(arrived(&writer));
    assert_int_equal(kill(writer.pid, SIGKILL), 0);
    assert_true(WIFSIGNALED(finish(&writer)));

    c = opened("camp", IX_CATALOGUE_READ);
    assert_int_equal(count_runs(c), 1);
    ix_catalogue_close(c);
    c = opened("camp", IX_CATALOGUE_WRITE);
    add_run(c, "two");
    assert_int_equal(count_runs(c), 2);
    ix_catalogue_close(c);
    sqlite3 *db = raw("camp/campaign.db");
    assert_string_equal(value(db, "PRAGMA integrity_check"), "ok");
    sqlite3_close(db);
}

static void a_reading_transaction_sees_one_state(void **state)
{
    (void)state;
    struct ix_catalogue *w = opened("camp", IX_CATALOGUE_CREATE);
    add_run(w, "one");
    struct ix_catalogue *r = opened("camp", IX_CATALOGUE_READ);
    must(ix_catalogue_begin(r, &err));
    assert_int_equal(count_runs(r), 1);
    add_run(w, "two");
    assert_int_equal(count_runs(r), 1);
    must(ix_catalogue_commit(r, &err));
    assert_int_equal(count_runs(r), 2);
    ix_catalogue_close(r);
    ix_catalogue_close(w);
}

static void create_and_add(void)
{
    struct ix_catalogue *c = child_opened(IX_CATALOGUE_CREATE);
    char name[32];
    int64_t id;
    snprintf(name, sizeof name, "by %ld", (long)getpid());
    if (ix_catalogue_add_execution(c, name, NULL, 0, &id, &err) != 0) {
        fprintf(stderr, "child: %s\n", err.text);
        _exit(5);
    }
    ix_catalogue_close(c);
}

static void many_can_create_at_once(void **state)
{
    (void)state;
    enum { CREATORS = 6 };
    struct process p[CREATORS];
    for (int i = 0; i < CREATORS; i++)
        p[i] = start(create_and_add);
    for (int i = 0; i < CREATORS; i++)
        assert_true(arrived(&p[i]));
    /* The later children hold the earlier ones' pipes too: close all before waiting for any. */
    for (int i = 0; i < CREATORS; i++)
        close(p[i].to);
    for (int i = CREATORS - 1; i >= 0; i--) {
        int status;
        close(p[i].from);
        assert_int_equal(waitpid(p[i].pid, &status, 0), p[i].pid);
        assert_int_equal(status, 0);
    }
    struct ix_catalogue *c = opened("camp", IX_CATALOGUE_READ);
    assert_int_equal(count_runs(c), CREATORS);
    ix_catalogue_close(c);
}

/* ---- without permission to write ---- */

/* Becomes somebody whom permissions bind. */
static void drop_root(void)
{
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
        _exit(7);
}

static void read_one_but_not_write(void)
{
    drop_root();
    struct ix_catalogue *c = child_opened(IX_CATALOGUE_READ);
    int count = 0;
    if (ix_catalogue_executions(c, count_run, &count, &err) != 0 || count != 1)
        _exit(8);
    ix_catalogue_close(c);
    if (ix_catalogue_open(in_tempdir(shared), IX_CATALOGUE_WRITE, &err) ||
        !strstr(err.text, "cannot be written"))
        _exit(9);
}

static void see_that_wal_cannot_be_read(void)
{
    drop_root();
    if (ix_catalogue_open(in_tempdir("camp"), IX_CATALOGUE_READ, &err) ||
        !strstr(err.text, "its last changes are still in"))
        _exit(8);
}

static void check_reading_without_permission(const char *name)
{
    char db[64];
    snprintf(db, sizeof db, "%s/campaign.db", name);
    struct ix_catalogue *c = opened(name, IX_CATALOGUE_CREATE);
    add_run(c, "one");
    ix_catalogue_close(c); /* the last one to close takes -wal and -shm away */
    assert_int_equal(chmod(in_tempdir(db), 0444), 0);
    assert_int_equal(chmod(in_tempdir(name), 0555), 0);
    assert_int_equal(chmod(tempdir, 0755), 0);
    shared = name;
    struct process reader = start(read_one_but_not_write);
    bool fine = arrived(&reader);
    int status = finish(&reader);
    shared = "camp";
    assert_int_equal(chmod(in_tempdir(name), 0777), 0);
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_true(fine);
}

static void reading_needs_no_write_permission(void **state)
{
    (void)state;
    check_reading_without_permission("camp");
    check_reading_without_permission("100%41?x#y"); /* SQLite gets this one in a URI */
}

/* A crashed writer's WAL holds rows that a reader would silently miss if it read the file alone. */
static void a_wal_that_cannot_be_read_is_not_passed_over(void **state)
{
    (void)state;
    ix_catalogue_close(opened("camp", IX_CATALOGUE_CREATE));
    write_file("camp/campaign.db-wal", "left by a crash");
    assert_int_equal(chmod(in_tempdir("camp"), 0555), 0);
    assert_int_equal(chmod(tempdir, 0755), 0);
    struct process reader = start(see_that_wal_cannot_be_read);
    bool fine = arrived(&reader);
    int status = finish(&reader);
    assert_int_equal(chmod(in_tempdir("camp"), 0777), 0);
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_true(fine);
}

static void odd_directory_names_work(void **state)
{
    (void)state;
    static const char *const names[] = {"a b", "100%41?x#y", "file:x", ":memory:", "'quote\""};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct ix_catalogue *c = opened(names[i], IX_CATALOGUE_CREATE);
        add_run(c, "one");
        ix_catalogue_close(c);
        c = opened(names[i], IX_CATALOGUE_READ);
        assert_int_equal(count_runs(c), 1);
        ix_catalogue_close(c);
    }
    assert_int_equal(rename(in_tempdir("100%41?x#y"), in_tempdir("camp")), 0);
    ix_catalogue_close(opened("camp", IX_CATALOGUE_WRITE));
}

static void a_path_too_long_for_sqlite_is_named_so(void **state)
{
    (void)state;
    char name[3 * 201];
    memset(name, 'x', sizeof name);
    name[200] = name[401] = '/';
    name[sizeof name - 1] = '\0';
    not_opened(name, IX_CATALOGUE_CREATE, "longer than the 512 bytes");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, tempdir_make, tempdir_remove)
    const struct CMUnitTest tests[] = {
        TEST(create_makes_parents_and_opens_again),
        TEST(directories_that_are_no_campaigns),
        TEST(create_refuses_other_peoples_directories),
        TEST(files_that_are_no_catalogues),
        TEST(readers_do_not_wait_for_a_writer),
        TEST(a_killed_writer_leaves_a_whole_catalogue),
        TEST(a_reading_transaction_sees_one_state),
        TEST(many_can_create_at_once),
        TEST(reading_needs_no_write_permission),
        TEST(a_wal_that_cannot_be_read_is_not_passed_over),
        TEST(odd_directory_names_work),
        TEST(a_path_too_long_for_sqlite_is_named_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
