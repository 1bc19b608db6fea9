/* SPDX-License-Identifier: Apache-2.0 */
/* JVMs that are over before they answer a packet: how they ended makes no run unusual, unless they
 * answer many in other runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "roxi/campaign/load.h"
#include "roxi/rank/ranking.h"
#include "roxi/rank/words.h"
#include "schema/tracelog/thread_state.h"
#include "tests/support/campaign_support.h"
#include "tests/support/tracelog_fixture.h"

enum { EXECUTIONS = 24, PACKETS = 400, BUSY = 13, NO_RUN = EXECUTIONS };

/* A thread in method "run", and in "other" in every `rest` packets of ten. */
static void write_log(const char *name, unsigned packets, unsigned rest)
{
    struct ix_error err = {""};
    struct ix_log_writer *w = ix_log_create(in_tempdir(name), &err);
    assert_non_null(w);
    const uint32_t c = ix_log_class(w, "C", "");
    const struct ix_thread t = {1, 1, 1, "main", "main", "system", 5, 0};
    assert_int_equal(ix_log_thread(w, &t), 0);
    for (unsigned p = 1; p <= packets; p++) {
        const bool rests = p % 10 < rest;
        const uint32_t frame =
            ix_log_frame(w, ix_log_method(w, c, rests ? "other" : "run", "()V"), 1);
        struct ix_entry entry = {1,
                                 IX_THREAD_ALIVE | (rests ? IX_THREAD_WAITING : IX_THREAD_RUNNABLE),
                                 ix_log_stack(w, IX_STACK_EMPTY, frame)};
        struct ix_snapshot s = {.packet = p, .entries = &entry, .count = 1};
        assert_int_equal(ix_log_snapshot(w, &s), 0);
    }
    assert_int_equal(ix_log_writer_close(w), 0);
}

/* Runs of a server, a second one, and of a tool that lives for a packet or two; `tool` says of each
 * run what became of it: its log and its end. One server is busier than others; in run `killed` the
 * second server is killed as it starts. */
struct tool {
    const char *log, *ended;
};
static const struct tool seen = {"tool.ixl", "orderly"};

static void make_campaign(struct tool (*tool)(unsigned run), unsigned killed)
{
    write_log("tool.ixl", 1, 0);
    write_log("tool2.ixl", 2, 0);
    write_log("server0.ixl", PACKETS, 2);
    write_log("server1.ixl", PACKETS, 3);
    write_log("busy.ixl", PACKETS, 7);
    for (unsigned i = 0; i < EXECUTIONS; i++) {
        char name[16];
        snprintf(name, sizeof name, "run%u", i);
        const char *const vms[] = {"server",
                                   i == BUSY ? "busy.ixl"
                                   : i % 2   ? "server1.ixl"
                                             : "server0.ixl",
                                   "orderly",
                                   "tool",
                                   tool(i).log,
                                   tool(i).ended,
                                   "second",
                                   i == killed ? "none.ixl" : "server0.ixl",
                                   i == killed ? "vanished" : "orderly",
                                   NULL};
        add_vms(name, vms, 3);
    }
}

static char explained[500]; /* the run that was ranked first */

/* The scores of a campaign; the caller frees. */
static double *scores(void)
{
    struct ix_error err = {""};
    const struct roxi_load_options options = {.min_vms = 1};
    struct roxi_profiles *p = roxi_load(in_tempdir("c"), &options, &err);
    if (!p)
        fail_msg("%s", err.text);
    const struct roxi_ranking_options rank = {0};
    struct roxi_ranking r;
    if (roxi_ranking_make(&r, p, &rank, NULL, &err) != 0)
        fail_msg("%s", err.text);
    size_t *order = roxi_ranking_order(&r, NULL);
    FILE *text = fmemopen(explained, sizeof explained, "w");
    assert_true(order && text);
    roxi_rank_explain(text, &r, order[0]);
    fclose(text);
    free(order);
    double *score = r.score;
    r.score = NULL;
    roxi_ranking_free(&r);
    roxi_profiles_free(p);
    return score;
}

static void is_first(unsigned run)
{
    double *score = scores();
    for (unsigned i = 0; i < EXECUTIONS; i++)
        if (i != run && score[i] >= score[run])
            fail_msg("run%u: %.3f, run%u: %.3f", i, score[i], run, score[run]);
    free(score);
}

static struct tool some_vanish(unsigned run)
{
    return run == 3 || run == 16 ? (struct tool){"none.ixl", "vanished"} : seen;
}

static void vanished_before_any_packet(void **state)
{
    (void)state;
    make_campaign(some_vanish, NO_RUN);
    is_first(BUSY);
}

static struct tool most_are_missed(unsigned run)
{
    return run == 4       ? seen
           : run % 5 == 0 ? (struct tool){"none.ixl", "vanished"}
                          : (struct tool){"none.ixl", "orderly"};
}

static void nearly_all_are_too_short(void **state)
{
    (void)state;
    make_campaign(most_are_missed, NO_RUN);
    is_first(BUSY);
}

static struct tool one_really_vanished(unsigned run)
{
    return run == 8 ? (struct tool){"tool2.ixl", "vanished"} : some_vanish(run);
}

static void one_that_took_packets_counts(void **state)
{
    (void)state;
    make_campaign(one_really_vanished, NO_RUN);
    is_first(8);
}

/* Of a JVM whose log is lost the catalogue knows that it answered. */
static void a_lost_log_is_not_too_short(void **state)
{
    (void)state;
    make_campaign(some_vanish, NO_RUN);
    struct ix_error err = {""};
    struct ix_catalogue *c = ix_catalogue_open(in_tempdir("c"), IX_CATALOGUE_WRITE, &err);
    assert_non_null(c);
    const struct ix_snapshot_row row = {.vm = 3 * 3 + 2, .packet = 1, .threads = 1};
    assert_int_equal(ix_catalogue_add_snapshot(c, &row, &err), 0);
    ix_catalogue_close(c);
    is_first(3);
}

static void one_that_usually_takes_packets_counts(void **state)
{
    (void)state;
    make_campaign(some_vanish, 6);
    is_first(6);
    assert_non_null(strstr(explained, "second: did not end in an orderly way"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(vanished_before_any_packet, tempdir_make, tempdir_remove),
        cmocka_unit_test_setup_teardown(nearly_all_are_too_short, tempdir_make, tempdir_remove),
        cmocka_unit_test_setup_teardown(one_that_took_packets_counts, tempdir_make, tempdir_remove),
        cmocka_unit_test_setup_teardown(a_lost_log_is_not_too_short, tempdir_make, tempdir_remove),
        cmocka_unit_test_setup_teardown(one_that_usually_takes_packets_counts, tempdir_make,
                                        tempdir_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
