/* SPDX-License-Identifier: Apache-2.0 */
/* Where logs are, by the catalogue: which file is read, whose a log is, what is missing; and how
 * `ixor status` says it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/catalogue/catalogue.h"
#include "server/store/endings.h"
#include "server/store/listing.h"
#include "tests/support/tempdir.h"

static struct ix_catalogue *c;
static int64_t run, vm_id;

static void must(int rc)
{
    assert_int_equal(rc, 0);
}

static int64_t add_vm(const char *host, int64_t pid, const char *log, const char *ended)
{
    int64_t id;
    must(ix_catalogue_add_vm(c,
                             &(struct ix_vm){.execution = run,
                                             .role = "R",
                                             .host = host,
                                             .jvm = "j",
                                             .pid = pid,
                                             .started_ns = 1000 + pid,
                                             .log = log},
                             &id, NULL));
    if (strcmp(ended, "running") != 0)
        must(ix_catalogue_end_vm(c, id, ended, 99, NULL, NULL));
    return id;
}

static int set_up(void **state)
{
    if (tempdir_make(state) != 0)
        return -1;
    c = ix_catalogue_open(in_tempdir("camp"), IX_CATALOGUE_CREATE, NULL);
    must(ix_catalogue_add_execution(c, "run1", NULL, 1, &run, NULL));
    must(mkdir(in_tempdir("logs"), 0777));
    vm_id = add_vm("h", 7, in_tempdir("logs/a.ixl"), "vanished");
    return 0;
}

static int tear_down(void **state)
{
    ix_catalogue_close(c);
    return tempdir_remove(state);
}

/* The VM; good until the next call. */
static const struct ix_vm *vm(int64_t id)
{
    static struct ixor_vm_list list;
    ixor_vm_list_free(&list);
    must(ixor_list_vms(&list, c, 0, NULL));
    for (size_t i = 0; i < list.count; i++) {
        if (list.at[i].id == id)
            return &list.at[i];
    }
    fail_msg("there is no VM %d", (int)id);
    return NULL;
}

static void touch(const char *name)
{
    FILE *f = fopen(in_tempdir(name), "w");
    assert_non_null(f);
    fclose(f);
}

/* Both files of a VM exist or not; which one is read. */
static void the_copy_or_the_log(void **state)
{
    (void)state;
    const char *there = in_tempdir("logs/a.ixl"), *copy = in_tempdir("camp/copy.ixl");
    assert_string_equal(vm(vm_id)->log_state, "there");
    assert_null(vm(vm_id)->log_copy);
    assert_int_equal(vm(vm_id)->log_whole, -1);
    must(ix_catalogue_set_log(c, vm_id, "partial", "copy.ixl", -1, NULL));
    assert_string_equal(vm(vm_id)->log, copy); /* better than nothing */
    touch("logs/a.ixl");
    assert_string_equal(vm(vm_id)->log, there);
    must(ix_catalogue_set_log(c, vm_id, "collected", NULL, 1, NULL));
    assert_string_equal(vm(vm_id)->log, copy);
    assert_string_equal(vm(vm_id)->log_there, there);
    assert_string_equal(vm(vm_id)->log_copy, "copy.ixl");
    assert_int_equal(vm(vm_id)->log_whole, 1);
    must(ix_catalogue_set_log(c, vm_id, "here", NULL, -1, NULL));
    assert_string_equal(vm(vm_id)->log, there);
    assert_int_equal(vm(vm_id)->log_whole, 1);
    struct ix_error err;
    assert_int_equal(ix_catalogue_set_log(c, 99, "here", NULL, -1, &err), -1);
    assert_int_equal(ix_catalogue_set_log(c, vm_id, "gone", NULL, -1, &err),
                     -1); /* no such state */
}

static int owner(const char *execution, const char *host, int64_t pid, int64_t started,
                 const char *log)
{
    static struct ix_log_owner o;
    const int found = ix_catalogue_log_owner(c, execution, host, pid, started, log, &o, NULL);
    if (found == 1) {
        assert_int_equal(o.vm, vm_id);
        assert_string_equal(o.execution, "run1");
        assert_string_equal(o.role, "R");
        assert_string_equal(o.ended, "vanished");
        assert_string_equal(o.log, in_tempdir("logs/a.ixl"));
    }
    return found;
}

static void whose_log_it_is(void **state)
{
    (void)state;
    const char *log = in_tempdir("logs/a.ixl");
    assert_int_equal(owner("run1", "h", 7, 1007, log), 1);
    assert_int_equal(owner("", "h", 7, 1007, log), 1);
    assert_int_equal(owner("", "h", 7, 1007, "/moved/to/a.ixl"), 1);
    assert_int_equal(owner("", "h", 7, 1007, "/moved/to/aa.ixl"), 0);
    assert_int_equal(owner("run2", "h", 7, 1007, log), 0);
    assert_int_equal(owner("", "g", 7, 1007, log), 0);
    assert_int_equal(owner("", "h", 8, 1007, log), 0);
    assert_int_equal(owner("", "h", 7, 1008, log), 0);
}

static int64_t missing(int64_t after)
{
    static struct ix_log_owner o;
    const int found =
        ix_catalogue_log_missing(c, "h", in_tempdir("logs/mine.ixl"), after, &o, NULL);
    assert_true(found >= 0);
    return found ? o.vm : 0;
}

static void what_is_missing(void **state)
{
    (void)state;
    const int64_t running = add_vm("h", 8, in_tempdir("logs/b.ixl"), "running");
    const int64_t elsewhere = add_vm("h", 9, in_tempdir("c.ixl"), "vanished");
    const int64_t other = add_vm("g", 10, in_tempdir("logs/d.ixl"), "vanished");
    const int64_t last = add_vm("h", 11, in_tempdir("logs/e.ixl"), "silent");
    assert_true(running && elsewhere && other);
    assert_int_equal(missing(0), vm_id);
    assert_int_equal(missing(vm_id), last);
    assert_int_equal(missing(last), 0);
    must(ix_catalogue_set_log(c, vm_id, "partial", "x", -1, NULL));
    assert_int_equal(missing(0), vm_id);
    must(ix_catalogue_set_log(c, vm_id, "collected", NULL, -1, NULL));
    assert_int_equal(missing(0), last);
    must(ix_catalogue_set_log(c, last, "lost", NULL, -1, NULL));
    assert_int_equal(missing(0), 0);
}

/* ---- in words ---- */

static void how_it_ended(void **state)
{
    (void)state;
    static const struct {
        const char *ended, *text;
        int64_t ended_ns, last;
        const char *words;
    } table[] = {
        {"running", NULL, 0, 5, "running"},
        {"orderly", NULL, 9, 5, "ended orderly"},
        {"orderly", "detached", 9, 5, "ended orderly (detached)"},
        {"vanished", NULL, 9, 5, "vanished after packet 5: crash, kill -9 or a broken network"},
        {"vanished", NULL, 9, 0, "too short for a packet: vanished"},
        {"vanished", "Connection reset", 9, 0,
         "too short for a packet: vanished: Connection reset"},
        {"orderly", NULL, 9, 0, "too short for a packet: ended orderly"},
        {"orderly", "detached", 9, 0, "too short for a packet: ended orderly (detached)"},
        {"vanished", "Connection reset", 9, 5, "vanished after packet 5: Connection reset"},
        {"silent", "since packet 5", 9, 5, "silent since packet 5"},
        {"silent", "since packet 5", 0, 5, "silent since packet 5, still connected"},
        {"silent", "it took no packet", 9, 0, "silent: it took no packet"},
        {"log-failed", "disk full", 9, 5, "stopped logging (disk full)"},
        {"server-stopped", NULL, 9, 5, "still running when the server stopped"},
        {"orderly", "a\033[2Jb", 9, 5, "ended orderly (a?[2Jb)"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        char words[IXOR_ENDING_TEXT];
        ixor_ending_words(&(struct ix_vm){.ended = table[i].ended,
                                          .ended_text = table[i].text,
                                          .ended_ns = table[i].ended_ns},
                          table[i].last, words, sizeof words);
        assert_string_equal(words, table[i].words);
    }
}

static void where_it_is(void **state)
{
    (void)state;
    char words[IXOR_ENDING_TEXT];
    assert_true(ixor_log_words(vm(vm_id), words, sizeof words));
    assert_memory_equal(words, "the log is not here; it was on h: /", 35);
    touch("logs/a.ixl");
    assert_false(ixor_log_words(vm(vm_id), words, sizeof words));
    must(ix_catalogue_set_log(c, vm_id, "here", NULL, 0, NULL));
    assert_true(ixor_log_words(vm(vm_id), words, sizeof words));
    assert_string_equal(words, "the log ends in the middle of a record");
    must(ix_catalogue_set_log(c, vm_id, "partial", NULL, -1, NULL));
    assert_true(ixor_log_words(vm(vm_id), words, sizeof words));
    assert_memory_equal(words, "a part of the log is here", 25);
    must(ix_catalogue_set_log(c, vm_id, "lost", NULL, -1, NULL));
    assert_true(ixor_log_words(vm(vm_id), words, sizeof words));
    assert_memory_equal(words, "the log is lost", 15);
    assert_false(ixor_log_words(&(struct ix_vm){.ended = "running"}, words, sizeof words));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(the_copy_or_the_log), TEST(whose_log_it_is), TEST(what_is_missing),
        TEST(how_it_ended),        TEST(where_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
