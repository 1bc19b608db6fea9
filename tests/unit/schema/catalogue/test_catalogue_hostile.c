/* SPDX-License-Identifier: Apache-2.0 */
/* Catalogues that somebody made to harm who reads them: views and triggers that never end, and
 * pages that refer to each other. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include <cmocka.h>

#include "schema/catalogue/catalogue.h"
#include "tests/support/catalogue_fixture.h"
#include "tests/support/tempdir.h"

/* Seconds of processor time: then SIGPROF ends the test. Nothing here takes more than one or two.
 */
enum { LIMIT_SECONDS = 60 };

/* A campaign of two runs, changed by `sql`. */
static void make_campaign(const char *sql)
{
    struct ix_catalogue *c = opened("c", IX_CATALOGUE_CREATE);
    add_run(c, "one");
    add_run(c, "two");
    ix_catalogue_close(c);
    sqlite3 *db = raw("c/campaign.db");
    run_sql(db, sql);
    sqlite3_close(db);
}

#define ENDLESS "WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) "

static void a_view_is_no_table(void **state)
{
    (void)state;
    make_campaign("DROP TABLE execution; CREATE VIEW execution (id, name, verdict, verdict_by, "
                  "command, begin_ns, end_ns, exit_status, exit_signal) AS " ENDLESS
                  "SELECT count(*), 'x', 'passed', NULL, NULL, 1, 1, 0, 0 FROM r");
    for (int mode = IX_CATALOGUE_READ; mode <= IX_CATALOGUE_CREATE; mode++) {
        not_opened("c", mode,
                   "is not a campaign: its campaign.db has no table 'execution' (a view is none)");
    }
}

static void no_trigger_is_run(void **state)
{
    (void)state;
    make_campaign("CREATE TRIGGER t AFTER UPDATE ON execution BEGIN "
                  "INSERT INTO mark (packet, at_ns, text) VALUES (1, 2, 'found'); END");
    struct ix_catalogue *c = opened("c", IX_CATALOGUE_WRITE);
    assert_int_equal(ix_catalogue_label(c, "one", IX_VERDICT_FAILED, &err), 0);
    ix_catalogue_close(c);
    sqlite3 *db = raw("c/campaign.db");
    assert_string_equal(value(db, "SELECT (SELECT count(*) FROM mark) || verdict FROM execution "
                                  "WHERE name = 'one'"),
                        "0failed");
    sqlite3_close(db);
}

/* ---- pages ---- */

enum { PAGE = 4096, LEVELS = 4, CHILDREN = 500 };

static void put_u16(uint8_t *at, unsigned v)
{
    at[0] = (uint8_t)(v >> 8);
    at[1] = (uint8_t)v;
}

static void put_u32(uint8_t *at, uint32_t v)
{
    put_u16(at, v >> 16);
    put_u16(at + 2, v & 0xffff);
}

/* An inner page of a table whose children are all the same page (SQLite's file format, 1.6). */
static void inner_page(uint8_t page[PAGE], uint32_t child)
{
    enum { HEAD = 12, CELL = 5, FIRST = PAGE - CHILDREN * CELL };
    memset(page, 0, PAGE);
    page[0] = 5;
    put_u16(page + 3, CHILDREN);
    put_u16(page + 5, FIRST);
    put_u32(page + 8, child);
    for (int i = 0; i < CHILDREN; i++) {
        put_u16(page + HEAD + 2 * i, (unsigned)(FIRST + i * CELL));
        put_u32(page + FIRST + i * CELL, child);
        page[FIRST + i * CELL + 4] = 1;
    }
}

static uint32_t root_of_executions(void)
{
    sqlite3 *db = raw("c/campaign.db");
    const uint32_t root = (uint32_t)strtoul(
        value(db, "SELECT rootpage FROM sqlite_schema WHERE name = 'execution'"), NULL, 10);
    sqlite3_close(db);
    return root;
}

/* Two rows in five pages, 500^4 times. */
static void make_endless_pages(void)
{
    uint8_t page[PAGE], head[PAGE];
    make_campaign("SELECT 1");
    uint32_t at = root_of_executions();
    const int fd = open(in_tempdir("c/campaign.db"), O_RDWR);
    assert_true(fd >= 0);
    assert_int_equal(pread(fd, head, PAGE, 0), PAGE);
    assert_int_equal(head[16] << 8 | head[17], PAGE);
    uint32_t pages = (uint32_t)(head[28] << 24 | head[29] << 16 | head[30] << 8 | head[31]);
    assert_int_equal(pread(fd, page, PAGE, (off_t)(at - 1) * PAGE), PAGE);
    uint8_t leaf[PAGE];
    memcpy(leaf, page, PAGE);
    for (int level = 0; level < LEVELS; level++) {
        inner_page(page, ++pages);
        assert_int_equal(pwrite(fd, page, PAGE, (off_t)(at - 1) * PAGE), PAGE);
        at = pages;
    }
    assert_int_equal(pwrite(fd, leaf, PAGE, (off_t)(at - 1) * PAGE), PAGE);
    put_u32(head + 28, pages);
    assert_int_equal(pwrite(fd, head, PAGE, 0), PAGE);
    close(fd);
}

static int count_and_ask(void *user, const struct ix_execution *e)
{
    int64_t count;
    (void)e;
    return ix_catalogue_packet_count(user, 1, &count, &err);
}

static void pages_without_end_are_left(void **state)
{
    (void)state;
    make_endless_pages();
    struct ix_catalogue *c = opened("c", IX_CATALOGUE_READ);
    int count = 0;
    assert_int_equal(ix_catalogue_executions(c, count_run, &count, &err), -1);
    says("cannot read it: reading takes too long for a file of its size");
    assert_true(count > 1000);
    /* What is asked in between does not count anew; what is asked afterwards does. */
    assert_int_equal(ix_catalogue_executions(c, count_and_ask, c, &err), -1);
    says("reading takes too long");
    int64_t packets;
    assert_int_equal(ix_catalogue_packet_count(c, 1, &packets, &err), 0);
    ix_catalogue_close(c);
}

static int with_limit(void **state)
{
    const struct itimerval limit = {.it_value.tv_sec = LIMIT_SECONDS};
    assert_int_equal(setitimer(ITIMER_PROF, &limit, NULL), 0);
    return tempdir_make(state);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, with_limit, tempdir_remove)
    const struct CMUnitTest tests[] = {
        TEST(a_view_is_no_table),
        TEST(no_trigger_is_run),
        TEST(pages_without_end_are_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
