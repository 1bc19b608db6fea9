/* SPDX-License-Identifier: Apache-2.0 */
/* From logs to which code was executed: what counts as the same place, since when, and the same
 * numbers on any number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/campaign/load.h"
#include "tests/support/campaign_support.h"
#include "tests/support/tracelog_fixture.h"

enum { REST = 0, END = -1 }; /* instead of a packet: after the last one; of the list */

/* A block of a class, of package p unless its name has one, of which method `method` begins in
 * `line`. */
struct done {
    int packet;
    const char *class_name, *method;
    int32_t line;
    uint32_t block;
    int pause; /* packets: it was executed before, and has not been for so long; -1: it is again */
};

static void cover(struct ix_log_writer *w, const struct done *d)
{
    char name[64];
    snprintf(name, sizeof name, "%s%s", strchr(d->class_name, '.') ? "" : "p.", d->class_name);
    const uint32_t method = ix_log_method(w, ix_log_class(w, name, ""), d->method, "()V");
    const uint32_t frame = ix_log_frame(w, method, d->line);
    if (d->pause) {
        const uint64_t packets = d->pause > 0 ? (uint64_t)d->pause : 0;
        assert_int_equal(ix_log_pause(w, &(struct ix_pause){frame, d->block, packets}), 0);
    } else {
        assert_int_equal(ix_log_covered(w, &(struct ix_covered){frame, d->block}), 0);
    }
}

/* Of one thread that stands in p.M.run. Packets ascend; those after the last one come last. */
static void write_done(const char *name, const struct done *done)
{
    struct ix_error err = {""};
    const struct ix_thread t = {1, 1, 1, "main", "main", "system", 5, 0};
    struct ix_log_writer *w = ix_log_create(in_tempdir(name), &err);
    if (!w)
        fail_msg("%s", err.text);
    assert_int_equal(ix_log_thread(w, &t), 0);
    while (done->packet != REST && done->packet != END) {
        const uint32_t run = ix_log_method(w, ix_log_class(w, "p.M", ""), "run", "()V");
        struct ix_entry entry = {1, 5, ix_log_stack(w, IX_STACK_EMPTY, ix_log_frame(w, run, 7))};
        const struct ix_snapshot s = {
            .packet = (uint64_t)done->packet, .entries = &entry, .count = 1};
        for (; done->packet == (int)s.packet; done++)
            if (done->class_name)
                cover(w, done);
        assert_int_equal(ix_log_snapshot(w, &s), 0);
    }
    for (; done->packet == REST; done++)
        cover(w, done);
    assert_int_equal(ix_log_rest(w), 0);
    assert_int_equal(ix_log_writer_close(w), 0);
}

static void add_execution(const char *name, const char *const *roles_and_logs)
{
    add_vms(name, roles_and_logs, 2);
}

static struct roxi_profiles *load(const struct roxi_load_options *options)
{
    struct ix_error err = {""};
    struct roxi_profiles *p = roxi_load(in_tempdir("c"), options, &err);
    if (!p)
        fail_msg("%s", err.text);
    return p;
}

/* What a run tells, a block a line: "role class.method:line block packet"; to be freed. */
static char *told(const struct roxi_profiles *p, size_t run)
{
    const struct roxi_use *u = &p->executions[run].use;
    const struct roxi_symbols *s = p->symbols;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; i < u->covered_count; i++) {
        const struct roxi_covered *x = &u->covered[i];
        const struct roxi_frame at = roxi_symbols_top(s, x->stack);
        assert_int_equal(roxi_symbols_stack_at(s, x->stack).depth, 1);
        fprintf(out, "%s %s.%s:%d %" PRIu32 " %" PRIu32 "\n", roxi_symbols_text(s, x->role),
                roxi_symbols_text(s, at.class_name), roxi_symbols_text(s, at.method), at.line,
                x->block, x->packet);
    }
    fclose(out);
    return text;
}

static void assert_told(const struct roxi_load_options *options, const char *want)
{
    struct roxi_profiles *p = load(options);
    char *text = told(p, 0);
    assert_string_equal(text, want);
    assert_true(p->executions[0].use.tells_covered);
    free(text);
    roxi_profiles_free(p);
}

static const struct done story[] = {{1, "M", "run", 7, 0, 0},    {3, "M", "run", 9, 1, 0},
                                    {3, "M", "fix", 20, 2, 0},   {6, NULL, NULL, 0, 0, 0},
                                    {REST, "N", "end", 4, 0, 0}, {.packet = END}};

/* What is told after the last packet counts as of that packet. */
static void test_story(void **state)
{
    (void)state;
    write_done("a.ixl", story);
    add_execution("e", (const char *const[]){"A", "a.ixl", NULL});
    assert_told(&(struct roxi_load_options){.min_vms = 1}, "A p.M.run:7 0 1\nA p.M.run:9 1 3\n"
                                                           "A p.M.fix:20 2 3\nA p.N.end:4 0 6\n");
}

/* Without lines, as between two builds, a method is one place, since its first packet. */
static void test_granularity(void **state)
{
    (void)state;
    write_done("a.ixl", story);
    add_execution("e", (const char *const[]){"A", "a.ixl", NULL});
    assert_told(&(struct roxi_load_options){.min_vms = 1, .granularity = ROXI_METHODS},
                "A p.M.run:-1 0 1\nA p.M.fix:-1 0 3\nA p.N.end:-1 0 6\n");
    assert_told(&(struct roxi_load_options){.min_vms = 1, .granularity = ROXI_CLASSES},
                "A p.M.:-1 0 1\nA p.N.:-1 0 6\n");
}

/* Of two JVMs of a role, the earliest packet; roles are kept apart. */
static void test_two_of_a_role(void **state)
{
    (void)state;
    write_done("a.ixl", story);
    write_done("b.ixl", (const struct done[]){
                            {2, "M", "fix", 20, 2, 0}, {4, "M", "run", 7, 0, 0}, {.packet = END}});
    add_execution("e", (const char *const[]){"A", "a.ixl", "B", "b.ixl", "A", "b.ixl", NULL});
    assert_told(&(struct roxi_load_options){.min_vms = 1},
                "A p.M.run:7 0 1\nA p.M.run:9 1 3\nA p.M.fix:20 2 2\nA p.N.end:4 0 6\n"
                "B p.M.run:7 0 4\nB p.M.fix:20 2 2\n");
}

/* Packets that do not count tell since when all the same. */
static void test_min_vms(void **state)
{
    (void)state;
    write_done("a.ixl", story);
    write_done("b.ixl", (const struct done[]){{3, "O", "go", 1, 0, 0}, {.packet = END}});
    add_execution("e", (const char *const[]){"A", "a.ixl", "B", "b.ixl", NULL});
    assert_told(&(struct roxi_load_options){.min_vms = 2},
                "A p.M.run:7 0 1\nA p.M.run:9 1 3\nA p.M.fix:20 2 3\nA p.N.end:4 0 6\n"
                "B p.O.go:1 0 3\n");
}

/* Methods that a rule skips are not there; names are normalised, so the blocks of a class that is
 * generated anew in each JVM are the same. */
static void test_rules(void **state)
{
    (void)state;
    FILE *f = fopen(in_tempdir("rules"), "w");
    assert_non_null(f);
    assert_true(
        fputs("skip-frame |^p\\.M\\.fix$|\nclass |(\\$\\$Made).*|\\1|\nidle |\\.end$|\n", f) >= 0);
    assert_int_equal(fclose(f), 0);
    write_done("a.ixl", (const struct done[]){{1, "M", "run", 7, 0, 0},
                                              {2, "M", "fix", 20, 2, 0},
                                              {3, "X$$Made/0x12", "go", 1, 0, 0},
                                              {4, "X$$Made/0x34", "go", 1, 0, 0},
                                              {REST, "N", "end", 4, 0, 0},
                                              {.packet = END}});
    add_execution("e", (const char *const[]){"A", "a.ixl", NULL});
    char *rules = strdup(in_tempdir("rules"));
    assert_told(&(struct roxi_load_options){.min_vms = 1, .rules = rules},
                "A p.M.run:7 0 1\nA p.X$$Made.go:1 0 3\nA p.N.end:4 0 4\n");
    free(rules);
}

/* Older agents put probes into ixor-junit.jar, too. */
static void test_own_code(void **state)
{
    (void)state;
    write_done("a.ixl", (const struct done[]){{1, "M", "run", 7, 0, 0},
                                              {2, "ixor.junit.RunListener", "more", 30, 1, 0},
                                              {.packet = END}});
    add_execution("e", (const char *const[]){"A", "a.ixl", NULL});
    assert_told(&(struct roxi_load_options){.min_vms = 1}, "A p.M.run:7 0 1\n");
}

/* A JVM that took no packet tells what it executed, and a log without such records nothing. */
static void test_no_packet(void **state)
{
    (void)state;
    write_done("a.ixl", (const struct done[]){{REST, "M", "main", 3, 0, 0}, {.packet = END}});
    write_done("b.ixl", (const struct done[]){{5, NULL, NULL, 0, 0, 0}, {.packet = END}});
    add_execution("no packet", (const char *const[]){"A", "a.ixl", NULL});
    add_execution("without", (const char *const[]){"A", "b.ixl", NULL});
    assert_told(&(struct roxi_load_options){.min_vms = 1}, "A p.M.main:3 0 0\n");
    struct roxi_profiles *p = load(&(struct roxi_load_options){.min_vms = 1});
    assert_int_equal(p->executions[0].total, 0);
    assert_false(p->executions[1].use.tells_covered);
    assert_int_equal(p->executions[1].use.covered_count, 0);
    roxi_profiles_free(p);
}

/* A block that is not executed from packet 5 to 13, and from 21 on, while another one is. */
static const struct done pausing[] = {{1, "M", "run", 7, 0, 0},    {2, "M", "run", 9, 1, 0},
                                      {3, "M", "other", 30, 2, 0}, {12, "M", "run", 9, 1, 8},
                                      {14, "M", "run", 9, 1, -1},  {28, "M", "run", 9, 1, 8},
                                      {40, NULL, NULL, 0, 0, 0},   {.packet = END}};

static void assert_pauses(const struct roxi_load_options *options, bool told)
{
    struct roxi_profiles *p = load(options);
    const struct roxi_use *u = &p->executions[0].use;
    assert_int_equal(u->tells_pauses, told);
    assert_int_equal(u->executed_count, told ? 3 : 0);
    for (size_t i = 0; i < u->executed_count; i++) {
        const struct roxi_executed *x = &u->executed[i];
        assert_int_equal(x->missed, x->block == 1 ? 20 : 0);
        assert_int_equal(x->missed_from, x->block == 1 ? 21 : 0);
        assert_int_equal(x->active, x->block == 0 ? 40 : x->block == 1 ? 39 - 9 - 20 : 38);
    }
    roxi_profiles_free(p);
}

/* Only of what is explained, and where lines are compared: a method is not missed as long as one of
 * its blocks is not. */
static void test_pauses(void **state)
{
    (void)state;
    write_done("a.ixl", pausing);
    add_execution("e", (const char *const[]){"A", "a.ixl", NULL});
    assert_told(&(struct roxi_load_options){.min_vms = 1},
                "A p.M.run:7 0 1\nA p.M.run:9 1 2\nA p.M.other:30 2 3\n");
    assert_pauses(&(struct roxi_load_options){.min_vms = 1, .all_histories = true}, true);
    assert_pauses(&(struct roxi_load_options){.min_vms = 1}, false);
    assert_pauses(&(struct roxi_load_options){.min_vms = 1,
                                              .all_histories = true,
                                              .granularity = ROXI_METHODS},
                  false);
}

/* Three runs of two JVMs, of which each defines classes in another order. */
static void write_several(void)
{
    static const char *const classes[] = {"M", "N", "O"};
    for (int run = 0; run < 3; run++) {
        char logs[2][16], name[16];
        for (int vm = 0; vm < 2; vm++) {
            struct done done[30] = {{0}};
            for (int i = 0; i < 12; i++)
                done[i] = (struct done){1 + i / 2,         classes[(i + run + vm) % 3],
                                        i % 2 ? "f" : "g", 10 + i / 3,
                                        (uint32_t)i / 3,   0};
            for (int i = 0; i < 6; i++) {
                done[12 + i] = done[i];
                done[12 + i].packet = 20 + i / 2;
                done[12 + i].pause = 8 + i + run;
            }
            done[18] = (struct done){.packet = 30};
            done[19].packet = END;
            snprintf(logs[vm], sizeof logs[vm], "%d-%d.ixl", run, vm);
            write_done(logs[vm], done);
        }
        snprintf(name, sizeof name, "run%d", run);
        add_execution(name,
                      (const char *const[]){"A", logs[0], run == 1 ? "A" : "B", logs[1], NULL});
    }
}

/* Every worker has a dictionary of its own: the numbers are the same in the end. */
static void test_threads(void **state)
{
    (void)state;
    write_several();
    struct roxi_profiles *want =
        load(&(struct roxi_load_options){.min_vms = 1, .threads = 1, .all_histories = true});
    for (unsigned threads = 2; threads < 5; threads++) {
        struct roxi_profiles *p = load(
            &(struct roxi_load_options){.min_vms = 1, .threads = threads, .all_histories = true});
        for (size_t run = 0; run < 3; run++) {
            const struct roxi_use *a = &want->executions[run].use, *b = &p->executions[run].use;
            assert_true(a->covered_count >= 12 && a->tells_pauses && b->tells_pauses);
            assert_int_equal(a->covered_count, b->covered_count);
            assert_memory_equal(a->covered, b->covered, a->covered_count * sizeof *a->covered);
            assert_int_equal(a->executed_count, a->covered_count);
            assert_int_equal(b->executed_count, a->covered_count);
            assert_memory_equal(a->executed, b->executed, a->executed_count * sizeof *a->executed);
            char *x = told(want, run), *y = told(p, run);
            assert_string_equal(x, y);
            free(x);
            free(y);
        }
        roxi_profiles_free(p);
    }
    roxi_profiles_free(want);
}

#define IN_TEMPDIR(test) cmocka_unit_test_setup_teardown(test, tempdir_make, tempdir_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_TEMPDIR(test_story),    IN_TEMPDIR(test_granularity), IN_TEMPDIR(test_two_of_a_role),
        IN_TEMPDIR(test_min_vms),  IN_TEMPDIR(test_rules),       IN_TEMPDIR(test_no_packet),
        IN_TEMPDIR(test_own_code), IN_TEMPDIR(test_pauses),      IN_TEMPDIR(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
