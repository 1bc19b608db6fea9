/* SPDX-License-Identifier: Apache-2.0 */
/* Bursts: how many packets, to whom, and when they are over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "server/session/burst.h"
#include "tests/support/service_fixture.h"

#define SECOND UINT64_C(1000000000)
#define TRIES 20

static struct ixor_burst *burst;
static unsigned over;

static void is_over(void *user)
{
    assert_ptr_equal(user, &burst);
    over++;
    ixor_burst_free(burst); /* as users do */
    burst = NULL;
}

static void begin(const struct ixor_execution *execution, uint64_t after_ns)
{
    over = 0;
    burst =
        ixor_burst_new(ixor_service_context(service), execution, after_ns, NULL, is_over, &burst);
    assert_non_null(burst);
}

/* No packets but those of bursts; the agent b is in a run of its own. */
static int set_up(void **state)
{
    if (nobody_there(state) != 0)
        return -1;
    serve((struct ixor_service_options){.on_demand = true}, "run0001");
    ixor_ticker_pause(ixor_service_context(service)->ticker, true);
    return 0;
}

static void enter_other(void)
{
    double_open(&b, ixor_service_address(service), 2);
    snprintf(b.hello.execution, sizeof b.hello.execution, "other");
    double_hello(&b);
    WAIT(b.welcomed);
}

static uint64_t last_of(const struct double_agent *agent)
{
    return agent->request[agent->requests - 1].number;
}

static void ten_packets(void **state)
{
    (void)state;
    int64_t packets;
    enter(&a, 1);
    begin(current, 0);
    WAIT(over == 1);
    assert_int_equal(a.requests, IXOR_BURST_PACKETS);
    assert_int_equal(ixor_writer_flush(writer, NULL), 0);
    assert_int_equal(ix_catalogue_packet_count(catalogue, current->id, &packets, NULL), 0);
    assert_int_equal(packets, IXOR_BURST_PACKETS);
}

/* On a machine that stops for a second now and then, one of the tries is long enough. */
static void over_when_reported(void **state)
{
    (void)state;
    uint64_t took_ns = UINT64_MAX;
    enter(&a, 1);
    for (unsigned try = 0; try < TRIES && took_ns > SECOND / 10 * 9; try++) {
        const uint64_t begun_ns = ixor_mono_ns();
        const size_t before = a.requests;
        begin(current, 0);
        WAIT(a.requests == before + IXOR_BURST_PACKETS);
        double_report(&a, last_of(&a), last_of(&a), 1000);
        WAIT(over == 1);
        took_ns = ixor_mono_ns() - begun_ns;
    }
    assert_true(took_ns <= SECOND / 10 * 9);
}

static void only_to_one_run(void **state)
{
    (void)state;
    enter(&a, 1);
    enter_other();
    begin(current, 0);
    WAIT(a.requests == IXOR_BURST_PACKETS);
    double_report(&a, last_of(&a), last_of(&a), 1000);
    WAIT(over == 1);
    assert_int_equal(b.requests, 0);
}

static void to_all_runs(void **state)
{
    (void)state;
    enter(&a, 1);
    enter_other();
    begin(NULL, 0);
    WAIT(a.requests == IXOR_BURST_PACKETS && b.requests == IXOR_BURST_PACKETS);
    double_report(&a, last_of(&a), last_of(&a), 1000);
    double_close(&b); /* it need not report any more */
    WAIT(over == 1);
}

static void who_does_not_report_holds_up_nothing(void **state)
{
    (void)state;
    enter(&a, 1);
    const uint64_t begun_ns = ixor_mono_ns();
    begin(current, 0);
    WAIT(over == 1);
    assert_int_equal(a.requests, IXOR_BURST_PACKETS);
    assert_true(ixor_mono_ns() - begun_ns >= SECOND);
}

static void nobody_to_send_to(void **state)
{
    (void)state;
    begin(current, 0);
    WAIT(over == 1);
    enter(&a, 1);
    current->sampling = false;
    begin(current, 0);
    WAIT(over == 1);
    assert_int_equal(a.requests, 0);
}

/* The event loop's timers may be some milliseconds early. */
static void later(void **state)
{
    (void)state;
    enter(&a, 1);
    const uint64_t begun_ns = ixor_mono_ns();
    begin(current, SECOND / 5);
    WAIT(a.requests > 0);
    assert_true(ixor_mono_ns() - begun_ns >= SECOND / 10);
    ixor_burst_free(burst); /* before its end */
    const size_t sent = a.requests;
    burst = NULL;
    begin(NULL, SECOND / 5); /* another one shows that the first sends nothing meanwhile */
    WAIT(a.requests > sent);
    assert_true(ixor_mono_ns() - begun_ns >= SECOND / 10 * 3);
    ixor_burst_free(burst);
    ixor_burst_free(NULL);
    assert_int_equal(over, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, stop_and_leave)
    const struct CMUnitTest tests[] = {
        TEST(ten_packets),
        TEST(over_when_reported),
        TEST(only_to_one_run),
        TEST(to_all_runs),
        TEST(who_does_not_report_holds_up_nothing),
        TEST(nobody_to_send_to),
        TEST(later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
