/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of tests: their names, how they begin, how they end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "server/session/burst.h"
#include "tests/support/service_fixture.h"

static int tests_set_up(void **state)
{
    if (nobody_there(state) != 0)
        return -1;
    serve((struct ixor_service_options){.tests = true, .on_demand = true}, "run0001");
    return 0;
}

static uint64_t told_ns; /* in HELLO: after how long the test gets a burst */

/* A JVM begins a test; its process ids are log names, too. */
static void begin(struct double_agent *agent, uint32_t pid, const char *test)
{
    double_open(agent, ixor_service_address(service), pid);
    snprintf(agent->hello.execution, sizeof agent->hello.execution, "%s", test);
    agent->hello.test = true;
    agent->hello.burst_ns = told_ns;
    double_hello(agent);
    WAIT(agent->welcomed || agent->refused);
}

static void end(struct double_agent *agent, uint8_t reason, uint8_t verdict, const char *text)
{
    struct ix_goodbye bye = {.reason = reason, .verdict = verdict};
    snprintf(bye.text, sizeof bye.text, "%s", text);
    struct ix_out out = {0};
    ix_encode_goodbye(&out, &bye);
    double_say(agent, &out);
    WAIT(agent->eof);
    double_close(agent);
}

struct found {
    const char *name;
    char command[300], by[20];
    enum ix_verdict verdict;
    bool there, ended;
};

static int find(void *user, const struct ix_execution *e)
{
    struct found *f = user;
    if (strcmp(e->name, f->name) != 0)
        return 0;
    f->there = true;
    f->verdict = e->verdict;
    f->ended = e->end_ns != 0;
    snprintf(f->command, sizeof f->command, "%s", e->command);
    snprintf(f->by, sizeof f->by, "%s", e->verdict_by ? e->verdict_by : "");
    return 0;
}

static struct found run_named(const char *name)
{
    struct found f = {.name = name};
    assert_int_equal(ixor_writer_flush(writer, NULL), 0);
    assert_int_equal(ix_catalogue_executions(catalogue, find, &f, NULL), 0);
    assert_true(f.there);
    return f;
}

struct texts {
    unsigned count, interruptions;
    char last[IX_REASON_MAX + 1];
};

static int take_text(void *user, const struct ix_mark *mark)
{
    struct texts *t = user;
    t->count++;
    t->interruptions += strcmp(mark->text, IX_INTERRUPTED) == 0;
    snprintf(t->last, sizeof t->last, "%s", mark->text);
    return 0;
}

static struct texts marks(void)
{
    struct texts t = {0};
    assert_int_equal(ixor_writer_flush(writer, NULL), 0);
    assert_int_equal(ix_catalogue_marks(catalogue, take_text, &t, NULL), 0);
    return t;
}

static unsigned interruptions(void)
{
    return marks().interruptions;
}

static void each_begin_is_a_run(void **state)
{
    (void)state;
    static const char *const names[] = {"A.b", "A.b#2", "A.b#3"};
    for (unsigned i = 0; i < 3; i++) {
        begin(&a, 1, "A.b");
        assert_string_equal(a.welcome.execution, names[i]);
        end(&a, IX_BYE_REQUEST, IX_TEST_PASSED, "");
        const struct found f = run_named(names[i]);
        assert_string_equal(f.command, "junit:A.b");
        assert_int_equal(f.verdict, IX_VERDICT_PASSED);
        assert_string_equal(f.by, "exit");
        assert_true(f.ended);
    }
    assert_int_equal(marks().count, 0);
}

static void two_jvms_at_the_same_time(void **state)
{
    (void)state;
    begin(&a, 1, "A.b");
    begin(&b, 2, "A.b");
    assert_string_equal(b.welcome.execution, "A.b#2");
    end(&a, IX_BYE_REQUEST, IX_TEST_FAILED, "why");
    assert_int_equal(run_named("A.b").verdict, IX_VERDICT_FAILED);
    assert_false(run_named("A.b#2").ended);
    assert_string_equal(marks().last, "why");
    WAIT(b.requests >= 2);
    end(&b, IX_BYE_REQUEST, IX_TEST_ABORTED, "");
    assert_int_equal(run_named("A.b#2").verdict, IX_VERDICT_UNKNOWN);
    assert_true(run_named("A.b#2").ended);
}

/* A name that a run has already, in this server's time or before it. */
static void taken_names(void **state)
{
    (void)state;
    int64_t id;
    begin(&a, 1, "run0001");
    assert_string_equal(a.welcome.execution, "run0001#2");
    assert_int_equal(ix_catalogue_add_execution(catalogue, "A.b", NULL, 0, &id, NULL), 0);
    begin(&b, 2, "A.b");
    assert_string_equal(b.welcome.execution, "A.b#2");
}

static void a_jvm_that_ends_in_a_test(void **state)
{
    (void)state;
    begin(&a, 1, "A.exits");
    end(&a, IX_BYE_EXIT, IX_TEST_NONE, "");
    assert_int_equal(run_named("A.exits").verdict, IX_VERDICT_FAILED);
    assert_string_equal(marks().last, "the JVM ended before the test");
    begin(&a, 1, "A.has_no_disk");
    end(&a, IX_BYE_LOG, IX_TEST_NONE, "no space");
    assert_int_equal(run_named("A.has_no_disk").verdict, IX_VERDICT_UNKNOWN);
    assert_true(run_named("A.has_no_disk").ended);
    assert_string_equal(marks().last, "no space");
    begin(&a, 1, "A.is_detached");
    end(&a, IX_BYE_REQUEST, IX_TEST_NONE, "detached");
    assert_int_equal(run_named("A.is_detached").verdict, IX_VERDICT_UNKNOWN);
}

static void a_session_that_breaks(void **state)
{
    (void)state;
    begin(&a, 1, "A.b");
    double_close(&a);
    WAIT(ixor_service_context(service)->roster.count == 0);
    assert_false(run_named("A.b").ended);
    double_open(&a, ixor_service_address(service), 1);
    snprintf(a.hello.execution, sizeof a.hello.execution, "A.b");
    double_hello(&a);
    WAIT(a.welcomed);
    assert_string_equal(a.welcome.execution, "A.b");
    end(&a, IX_BYE_REQUEST, IX_TEST_PASSED, "");
    assert_int_equal(run_named("A.b").verdict, IX_VERDICT_PASSED);
}

static void the_server_ends(void **state)
{
    (void)state;
    struct ixor_context *c = ixor_service_context(service);
    begin(&a, 1, "A.vanishes");
    double_close(&a);
    begin(&b, 2, "A.stays");
    WAIT(c->roster.count == 1);
    ixor_executions_stop_tests(c);
    assert_int_equal(run_named("A.vanishes").verdict, IX_VERDICT_FAILED);
    assert_string_equal(marks().last, "its JVM vanished");
    assert_int_equal(run_named("A.stays").verdict, IX_VERDICT_UNKNOWN);
    assert_true(run_named("A.stays").ended);
    assert_int_equal(interruptions(), 1);
}

/* A JVM that ends because the user ends the build. */
static void the_user_interrupts(void **state)
{
    (void)state;
    struct ixor_context *c = ixor_service_context(service);
    begin(&a, 1, "A.ends");
    begin(&b, 2, "A.vanishes");
    c->interrupted = true;
    end(&a, IX_BYE_EXIT, IX_TEST_NONE, "");
    assert_int_equal(run_named("A.ends").verdict, IX_VERDICT_UNKNOWN);
    assert_string_equal(marks().last, IX_INTERRUPTED);
    double_close(&b);
    WAIT(c->roster.count == 0);
    ixor_executions_stop_tests(c);
    assert_int_equal(run_named("A.vanishes").verdict, IX_VERDICT_UNKNOWN);
    assert_int_equal(interruptions(), 2);
}

static void names_that_are_refused(void **state)
{
    (void)state;
    char longest[IX_TEST_NAME_MAX + 2];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    const char *const bad[] = {"", "..", "a/b", longest};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        begin(&a, 1, bad[i]);
        assert_true(a.refused);
        double_close(&a);
    }
    longest[IX_TEST_NAME_MAX] = 0;
    begin(&a, 1, longest);
    assert_true(a.welcomed);
}

/* The test says when it will be interrupted, or the server's options say how long is long. */
static void a_test_that_lasts(void **state)
{
    static const struct {
        uint64_t told_ns, option_ns;
        bool burst;
    } rows[] = {{1000000, 0, true},
                {0, 1000000, true},
                {3600000000000, 1000000, true},
                {1000000, 3600000000000, true},
                {3600000000000, 0, false},
                {0, 0, false}};
    (void)state;
    struct ixor_context *c = ixor_service_context(service);
    ixor_ticker_pause(c->ticker, true);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        c->options.burst_after_ns = rows[i].option_ns;
        told_ns = rows[i].told_ns;
        const unsigned before = marks().count;
        begin(&a, 1, "A.b");
        if (rows[i].burst) {
            WAIT(a.requests == IXOR_BURST_PACKETS);
            assert_int_equal(marks().count, before + 1);
            assert_string_equal(marks().last, "a burst of packets: the test still went on");
        }
        end(&a, IX_BYE_REQUEST, IX_TEST_PASSED, "");
        assert_int_equal(a.requests, rows[i].burst ? IXOR_BURST_PACKETS : 0);
    }
    told_ns = 0;
}

static void only_if_wanted(void **state)
{
    (void)state;
    begin(&a, 1, "A.b");
    assert_true(a.refused);
    assert_non_null(strstr(a.refuse.reason, "--tests"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, tests_set_up, stop_and_leave)
    const struct CMUnitTest tests[] = {
        TEST(each_begin_is_a_run),
        TEST(two_jvms_at_the_same_time),
        TEST(taken_names),
        TEST(a_jvm_that_ends_in_a_test),
        TEST(a_session_that_breaks),
        TEST(the_server_ends),
        TEST(the_user_interrupts),
        TEST(names_that_are_refused),
        TEST(a_test_that_lasts),
        cmocka_unit_test_setup_teardown(only_if_wanted, service_set_up, stop_and_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
