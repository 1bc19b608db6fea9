/* SPDX-License-Identifier: Apache-2.0 */
/* What a run waits for and does not get, learnt from what normal runs do meanwhile: hand-made runs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "roxi/explain/finder.h"
#include "roxi/explain/words.h"
#include "roxi/rank/ranking.h"
#include "schema/base/text_memory.h"
#include "tests/support/profiles_fixture.h"

enum { NORMAL = 9, PACKETS = 400, ROUND = 40, ODD = NORMAL };
static uint64_t wait = 2; /* packets for which the client waits in each round */

#define WORK "c.Client.run()V:1;c.Client.work()V:2"
#define ASK "c.Client.run()V:1;c.Link.ask()V:%d;java.net.SocketInputStream.read()I:-3"
#define IDLE "s.Server.run()V:1;s.Queue.take()V:2;java.lang.Object.wait(J)V:-3"
#define HANDLE "s.Server.run()V:1;s.Handler.handle()V:7"
#define OTHER "s.Server.run()V:1;s.Cache.load()V:3"

static struct ix_error err;

struct run {
    struct roxi_tally counts;
    struct roxi_history history;
};

static void stays(struct run *r, const char *role, const char *stack, uint64_t first, uint64_t last)
{
    const struct roxi_span span = {
        .group = roxi_profiles_group(profiles, name_number(role), name_number("t")),
        .stack = stack_number(stack),
        .jvm = strcmp(role, "client") != 0,
        .first = first,
        .last = last,
        .packets = last - first + 1};
    assert_int_equal(roxi_history_add_span(&r->history, span), 0);
    assert_int_not_equal(
        roxi_tally_add(&r->counts, roxi_pair(span.group, span.stack), span.packets), ROXI_NONE);
}

static void add(struct run *r, const char *name, bool history)
{
    for (uint64_t packet = 1; packet <= PACKETS; packet++)
        assert_int_equal(roxi_history_add_moment(
                             &r->history, (struct roxi_moment){packet, (int64_t)packet * 50}),
                         0);
    roxi_history_order(&r->history);
    assert_int_equal(roxi_profiles_add(profiles, name, &r->counts, NULL), 0);
    if (history)
        profiles->executions[profiles->count - 1].history = r->history;
    else
        roxi_history_free(&r->history);
    roxi_tally_free(&r->counts);
}

/* In each round the client works and then asks, at another line each time, and the server handles
 * that; up to packet `until`. */
static void rounds(struct run *r, uint64_t until, bool handles)
{
    char ask[128];
    for (uint64_t at = 1; at < until; at += ROUND) {
        snprintf(ask, sizeof ask, ASK, (int)at);
        const uint64_t last = at + ROUND - 1;
        stays(r, "client", WORK, at, last - wait);
        stays(r, "client", ask, last - wait + 1, last);
        stays(r, "server", IDLE, at, last - wait);
        stays(r, "server", handles ? HANDLE : IDLE, last - wait + 1, last);
    }
}

static void add_normal(bool histories, bool handles)
{
    for (int i = 0; i < NORMAL; i++) {
        struct run r = {0};
        rounds(&r, PACKETS, handles);
        add(&r, "normal", histories);
    }
}

/* Half of the run is as usual; then the client waits to the end, while the server does `meanwhile`.
 */
static void add_odd(const char *meanwhile)
{
    char ask[128];
    struct run r = {0};
    snprintf(ask, sizeof ask, ASK, 1000);
    rounds(&r, PACKETS / 2, true);
    stays(&r, "client", ask, PACKETS / 2 + 1, PACKETS);
    stays(&r, "server", meanwhile, PACKETS / 2 + 1, PACKETS);
    add(&r, "odd", true);
}

/* Findings of the odd run, to be freed. */
static struct roxi_findings explain(void)
{
    struct roxi_findings found;
    bool normal[NORMAL + 1];
    memset(normal, 1, sizeof normal);
    const struct roxi_ranking_options options = {0};
    struct roxi_ranking r;
    assert_int_equal(roxi_ranking_make(&r, profiles, &options, NULL, &err), 0);
    assert_int_equal(roxi_findings_find(&found, &r, ODD, normal, NULL, &err), 0);
    roxi_ranking_free(&r);
    assert_true(found.count > 0);
    return found;
}

static void test_unanswered(void **state)
{
    (void)state;
    add_normal(true, true);
    add_odd(IDLE);
    struct roxi_findings found = explain();
    const struct roxi_finding *x = &found.list[0], *asks = &found.list[1];
    assert_string_equal(roxi_finding_kind(x), "unanswered");
    assert_int_equal(x->who.role, name_number("server"));
    assert_int_equal(x->stack, stack_number(HANDLE));
    assert_int_equal(x->call.class_name, name_number("s.Handler"));
    assert_int_equal(x->packet, PACKETS / 2 + 1);
    assert_int_equal(x->here, 0);
    assert_int_equal(x->waits, PACKETS / 2);
    assert_int_equal((int)x->elsewhere, PACKETS / 2);
    assert_int_equal(x->compared, NORMAL);
    assert_int_equal(x->like, 0);
    assert_true(asks->follows);
    assert_int_equal(asks->ends_at.role, name_number("server"));
    struct ix_text t;
    assert_int_equal(ix_text_open(&t), 0);
    roxi_finding_say(t.out, profiles->symbols, x, NORMAL, true);
    fputs("; ", t.out);
    roxi_finding_say_like(t.out, x, NORMAL);
    char *text = ix_text_close(&t);
    assert_string_equal(text,
                        "never in Handler.handle while client waits (200 packets), typically in "
                        "200 of as many; none of 9 normal runs has as few");
    free(text);
    roxi_findings_free(&found);
}

static void assert_not_told(bool histories, bool handles, const char *meanwhile)
{
    add_normal(histories, handles);
    add_odd(meanwhile);
    struct roxi_findings found = explain();
    for (size_t i = 0; i < found.count; i++)
        assert_string_not_equal(roxi_finding_kind(&found.list[i]), "unanswered");
    roxi_findings_free(&found);
}

/* Who waits there for a fifth of the time in normal runs, too, may have nothing to do. */
static void test_often_waits(void **state)
{
    (void)state;
    wait = 4;
    assert_not_told(true, true, IDLE);
    wait = 2;
}

/* It is handled, even if it takes long. */
static void test_handled(void **state)
{
    (void)state;
    assert_not_told(true, true, HANDLE);
}

/* The server does something else that it never does otherwise: that is the reason. */
static void test_own_reason(void **state)
{
    (void)state;
    assert_not_told(true, true, OTHER);
}

/* Nothing is done meanwhile that is not done at other times. */
static void test_unrelated(void **state)
{
    (void)state;
    assert_not_told(true, false, IDLE);
}

static void test_no_histories(void **state)
{
    (void)state;
    assert_not_told(false, true, IDLE);
}

/* Findings of the odd run, of which a chain of waits leads to the server: to its JVM alone, or to a
 * thread that has nothing to do. What is waited for is the first one. */
static struct roxi_findings explain_chain(uint32_t end_thread)
{
    struct roxi_findings found = {0};
    struct roxi_ranking r = rank_all(NULL);
    bool normal[NORMAL + 1];
    memset(normal, 1, sizeof normal);
    normal[ODD] = false;
    struct roxi_finder f = {.out = &found,
                            .ranking = &r,
                            .profiles = profiles,
                            .run = &profiles->executions[ODD],
                            .number = ODD,
                            .normal = normal};
    for (size_t i = 0; i < profiles->executions[ODD].history.count; i++) {
        struct roxi_span *span = &profiles->executions[ODD].history.spans[i];
        span->thread = span->jvm ? 7 : 0;
    }
    assert_int_equal(roxi_finder_open(&f, NULL, &err), 0);
    assert_int_equal(roxi_produce_departures(&f), 0);
    found.chains.list = malloc(sizeof *found.chains.list);
    assert_non_null(found.chains.list);
    *found.chains.list = (struct waits_chain){.jvm = 0,
                                              .end_jvm = 1,
                                              .end_thread = end_thread,
                                              .first = PACKETS / 2 + 1,
                                              .last = PACKETS};
    found.chains.count = 1;
    assert_int_equal(roxi_produce_waited_for(&f), 0);
    const struct roxi_finding end = found.list[found.count - 1];
    assert_true(end.waited_for);
    memmove(found.list + 1, found.list, (found.count - 1) * sizeof *found.list);
    found.list[0] = end;
    assert_int_equal(roxi_find_unanswered(&f), 0);
    roxi_finder_close(&f);
    roxi_ranking_free(&r);
    return found;
}

static void test_known_jvm(void **state)
{
    (void)state;
    add_normal(true, true);
    add_odd(IDLE);
    struct roxi_findings found = explain_chain(0);
    assert_string_equal(roxi_finding_kind(&found.list[0]), "waited-for");
    assert_true(found.list[0].usually);
    assert_int_equal(found.list[0].stack, stack_number(HANDLE));
    assert_string_not_equal(roxi_finding_kind(&found.list[1]), "unanswered");
    roxi_findings_free(&found);
}

static void test_idle_thread(void **state)
{
    (void)state;
    add_normal(true, true);
    add_odd(IDLE);
    struct roxi_findings found = explain_chain(7);
    assert_string_equal(roxi_finding_kind(&found.list[0]), "waited-for");
    assert_int_equal(found.list[0].stack, stack_number(IDLE));
    assert_string_equal(roxi_finding_kind(&found.list[1]), "unanswered");
    assert_int_equal(found.list[1].stack, stack_number(HANDLE));
    assert_int_equal(found.list[1].who.role, name_number("server"));
    assert_int_equal(found.list[1].waiters.role, name_number("client"));
    roxi_findings_free(&found);
}

#define WITH_PROFILES(test)                                                                        \
    cmocka_unit_test_setup_teardown(test, profiles_set_up, profiles_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_PROFILES(test_unanswered),   WITH_PROFILES(test_handled),
        WITH_PROFILES(test_own_reason),   WITH_PROFILES(test_unrelated),
        WITH_PROFILES(test_no_histories), WITH_PROFILES(test_known_jvm),
        WITH_PROFILES(test_idle_thread),  WITH_PROFILES(test_often_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
