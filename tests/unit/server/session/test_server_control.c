/* SPDX-License-Identifier: Apache-2.0 */
/* Commands to a server, and peers that do too much. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "server/session/messages.h"
#include "tests/support/service_fixture.h"

/* ---- commands ---- */

static const char *command(const char *verb, const char *text)
{
    struct ix_control m;
    struct ix_out out = {0};
    snprintf(m.verb, sizeof m.verb, "%s", verb);
    snprintf(m.text, sizeof m.text, "%s", text);
    ix_encode_control(&out, &m);
    const unsigned before = b.replies;
    double_say(&b, &out);
    WAIT(b.replies > before || b.eof);
    return b.reply.text;
}

static void snapshots_on_demand(void **state)
{
    (void)state;
    double_open_as(&b, ixor_service_address(service), 0, IX_KEY_CONTROL);
    command("snapshot", "");
    assert_false(b.reply.ok); /* nobody is there */
    assert_string_equal(command("pause", ""), "{\"paused\":true,\"packet\":0}");
    enter(&a, 1);
    uint64_t until = ixor_mono_ns() + 10 * EVERY_NS;
    WAIT(ixor_mono_ns() > until);
    assert_int_equal(a.requests, 0);
    assert_string_equal(command("snapshot", ""),
                        "{\"packet\":1,\"vms\":1,\"taken\":0,\"report_ns\":250000000}");
    assert_true(b.reply.ok);
    WAIT(a.requests == 1);
    assert_int_equal(a.request[0].number, 1);
    double_report(&a, 1, 1, 5);
    WAIT(current->taken == 1);
    assert_string_equal(command("taken", "1"), "{\"packet\":1,\"vms\":1,\"taken\":1}");
    assert_string_equal(command("mark", "here"), "{\"packet\":1,\"execution\":\"run0001\"}");
    assert_string_equal(command("resume", ""), "{\"paused\":false,\"packet\":1}");
    WAIT(a.requests >= 3);
    assert_non_null(strstr(command("state", ""), "\"live\":1"));
    assert_int_equal(warnings, 0);
}

static void wrong_commands(void **state)
{
    (void)state;
    double_open_as(&b, ixor_service_address(service), 0, IX_KEY_CONTROL);
    command("format", "c:");
    assert_false(b.reply.ok);
    command("mark", "");
    assert_false(b.reply.ok);
    command("taken", "1");
    assert_false(b.reply.ok);
    double_hello(&b); /* it is no agent any more */
    WAIT(b.eof);
    assert_int_equal(warnings, 1);
    assert_int_equal(vms()->count, 0);
    double_close(&b);

    enter(&a, 1); /* and an agent gives no commands */
    struct ix_out out = {0};
    ix_encode_control(&out, &(struct ix_control){.verb = "pause"});
    double_say(&a, &out);
    WAIT(a.eof);
    assert_int_equal(a.replies, 0);
}

static void a_chatty_peer_is_dropped(void **state)
{
    (void)state;
    stop_serving();
    serve((struct ixor_service_options){.keepalive_ms = 60000, .silence_ms = 60000}, "run0002");
    enter(&a, 1);
    enter(&b, 2);
    struct ix_out out = {0};
    for (unsigned i = 0; i <= IXOR_MESSAGES_MAX; i++)
        ix_encode_keepalive(&out);
    double_say(&b, &out);
    WAIT(b.eof);
    assert_false(a.eof);
    assert_int_equal(warnings, 1);
    assert_non_null(strstr(vms()->at[1].ended_text, "faster"));
}

static void nobody_reports_more_than_there_was(void **state)
{
    (void)state;
    enter(&a, 1);
    WAIT(a.requests >= 1);
    for (int i = 0; i < 20 && !a.eof; i++) {
        struct ix_out out = {0};
        static struct ix_report report = {.count = IX_REPORT_MAX};
        for (size_t p = 0; p < report.count; p++)
            report.taken[p].packet = p + 1;
        ixor_ticker_above(ixor_service_context(service)->ticker, IX_REPORT_MAX);
        ix_encode_report(&out, &report);
        double_say(&a, &out);
        step();
    }
    WAIT(a.eof);
    assert_non_null(strstr(vms()->at[0].ended_text, "more packets"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, service_set_up, stop_and_leave)
    const struct CMUnitTest tests[] = {
        TEST(snapshots_on_demand),
        TEST(wrong_commands),
        TEST(a_chatty_peer_is_dropped),
        TEST(nobody_reports_more_than_there_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
