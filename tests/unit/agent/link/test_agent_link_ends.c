/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions that end before they have begun: WELCOME breaks the rules, or the JVM ends first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <poll.h>

#include "tests/support/link_fixture.h"

/* No report delay stops the agent: one out of bounds ends the connection, the least does not. */
static void report_delays(void **state)
{
    (void)state;
    static const uint64_t bad[] = {1, 4, 999999, UINT64_C(60000000001)};
    struct fixture *f = begin(true);
    meet(f, 1000);
    welcome(f);
    shutdown(f->fd, SHUT_RDWR);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct ix_out payload = {0}, out = {0};
        meet(f, 6000);
        ix_put_u64(&payload, SESSION);
        ix_put_bytes(&payload, "\1\5run-1", 7);
        ix_put_varint(&payload, bad[i]);
        ix_put_u32(&out, (uint32_t)payload.len + 1);
        ix_put_u8(&out, IX_WELCOME);
        ix_put_bytes(&out, payload.data, payload.len);
        send_all(f, &out);
        ix_out_free(&payload);
        ix_out_free(&out);
        ask(f, SESSION, i + 1, 0); /* nothing is taken, so nothing is to be reported */
        assert_int_equal(wire_receive(f->wire, f->fd, f->in, 1), -1);
    }
    meet(f, 6000);
    struct ix_out out = {0};
    ix_encode_welcome(&out, &(struct ix_welcome){.session = SESSION, .report_ns = 1});
    send_all(f, &out);
    ix_out_free(&out);
    assert_int_equal(next_event(f, 1000).event, IXA_WELCOME);
    ask(f, SESSION, 9, 0);
    assert_int_equal(next_event(f, 1000).packet, 9);
    assert_int_equal(receive_report(f, 1000)->taken[0].packet, 9);
    end_fixture(f);
}

static void receive_goodbye(struct fixture *f)
{
    struct ix_goodbye bye;
    const struct ix_message_frame m = receive(f, 1000);
    assert_int_equal(m.type, IX_GOODBYE);
    assert_int_equal(ix_decode_goodbye(m.payload, m.payload_size, &bye, NULL), 0);
    assert_int_equal(bye.reason, IX_BYE_EXIT);
}

#define MOST_WAIT (100 * MS) /* of ixa_link_goodbye */

/* A JVM that ends between HELLO and WELCOME says so, and waits until that has been read. On a busy
 * machine it may have waited for as long as it may by then. */
static void short_life(void **state)
{
    (void)state;
    struct fixture *f = begin(true);
    struct ix_out out = {0};
    meet(f, 1000);
    const int64_t stopped = ixa_mono_ns();
    stop(f);
    receive_goodbye(f);
    put_welcome(&out, SESSION); /* was on its way */
    send_all(f, &out);
    ix_out_free(&out);
    assert_int_equal(wire_receive(f->wire, f->fd, f->in, 1), -1); /* TLS's own end */
    poll(NULL, 0, 30);
    const int64_t hung_up = ixa_mono_ns();
    hang_up(f);
    const struct told end = next_event(f, 1000);
    assert_int_equal(end.event, IXA_STOP);
    assert_true(end.at >= hung_up || end.at - stopped >= MOST_WAIT);
    finish_fixture(f);
}

/* ... but not for ever, and what an earlier session could not report is said in this one. */
static void short_life_of_another_session(void **state)
{
    (void)state;
    struct fixture *f = begin(true);
    meet(f, 1000);
    welcome(f);
    ask(f, SESSION, 5, 0);
    assert_int_equal(next_event(f, 1000).packet, 5);
    shutdown(f->fd, SHUT_RDWR);
    meet(f, 1000);
    stop(f);
    const int64_t before = ixa_mono_ns();
    assert_int_equal(receive_report(f, 1000)->taken[0].packet, 5);
    receive_goodbye(f);
    assert_int_equal(next_event(f, 1000).event, IXA_STOP);
    assert_true(ixa_mono_ns() - before < 500 * MS);
    finish_fixture(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(report_delays),
                                       cmocka_unit_test(short_life),
                                       cmocka_unit_test(short_life_of_another_session)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
