/* SPDX-License-Identifier: Apache-2.0 */
/* Probes, answers and what follows from them: clocks that are found, target times in them, skew and
 * late stops in the catalogue. Agents on real sockets, one of them with a shifted clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "server/sampling/instant.h"
#include "server/sampling/prober.h"
#include "server/session/session.h"
#include "server/store/listing.h"
#include "tests/support/serving.h"

#define MS 1000000ll
#define S 1000000000ll
#define AHEAD (5 * S)

static int set_up(void **state)
{
    const struct ixor_service_events events = {0};
    const struct ixor_service_options options = {.rhythm = {.every_ns = 20 * MS},
                                                 .lead_ns = 10 * MS};
    if (nobody_there(state) != 0)
        return -1;
    serve_with(tempdir, options, &events, "run0001", "command");
    return 0;
}

static int tear_down(void **state)
{
    stop_serving();
    return all_leave(state);
}

static void join(struct double_agent *agent, uint32_t pid, int64_t ahead_ns, bool mute)
{
    double_open(agent, ixor_service_address(service), pid);
    agent->ahead_ns = ahead_ns;
    agent->mute = mute;
    agent->hello.mono_ns = double_now(agent);
    double_hello(agent);
    WAIT(agent->welcomed);
}

static struct ixor_session *session_of(const struct double_agent *agent)
{
    const struct ixor_roster *roster = &ixor_service_context(service)->roster;
    for (size_t i = 0; i < roster->count; i++)
        if (roster->at[i]->jvm.key == agent->welcome.session)
            return roster->at[i];
    fail_msg("no such session");
    return NULL;
}

/* The JVM as the catalogue has it. */
static struct ix_vm vm_of(const struct double_agent *agent)
{
    static struct ixor_vm_list list;
    ixor_vm_list_free(&list);
    assert_int_equal(ixor_writer_flush(writer, NULL), 0);
    assert_int_equal(ixor_list_vms(&list, catalogue, 0, NULL), 0);
    for (size_t i = 0; i < list.count; i++)
        if (list.at[i].pid == agent->hello.pid)
            return list.at[i];
    fail_msg("no such JVM");
    return list.at[0];
}

/* A burst, and the clock that comes of it, also in the catalogue. */
static void clocks_are_found(void **state)
{
    (void)state;
    join(&a, 1, 0, false);
    join(&b, 2, AHEAD, false);
    uint64_t began = ixor_mono_ns();
    WAIT(session_of(&b)->jvm.clock.exchanges >= 1);
    assert_false(session_of(&b)->jvm.clock.same); /* though its HELLO says so */
    WAIT(a.probes >= IXOR_PROBE_BURST && b.probes >= IXOR_PROBE_BURST);
    assert_true(ixor_mono_ns() - began >= 5 * IXOR_PROBE_FIRST_NS);
    WAIT(session_of(&b)->jvm.probing.told_ns && session_of(&a)->jvm.probing.told_ns);
    struct ix_vm vm = vm_of(&a);
    assert_int_equal(vm.clock_offset_ns, 0);
    assert_int_equal(vm.clock_error_ns, 0);
    assert_int_equal(vm.clock_drift_ppb, 0);
    vm = vm_of(&b);
    assert_true(llabs(vm.clock_offset_ns + AHEAD) <= vm.clock_error_ns);
    assert_true(vm.clock_error_ns > 0);
    assert_int_equal(ixor_prober_ignored(ixor_service_context(service)->prober), 0);
}

/* A JVM that goes before its burst is over leaves what is known of it. */
static void a_short_life(void **state)
{
    (void)state;
    join(&a, 1, AHEAD, false);
    WAIT(session_of(&a)->jvm.clock.exchanges >= 1);
    double_goodbye(&a, IX_BYE_EXIT, "");
    WAIT(current->sessions == 0);
    struct ix_vm vm = vm_of(&a);
    assert_true(llabs(vm.clock_offset_ns + AHEAD) <= vm.clock_error_ns);
    join(&b, 2, AHEAD, true); /* and of one that does not answer nothing is */
    WAIT(b.probes >= 2);
    double_goodbye(&b, IX_BYE_EXIT, "");
    WAIT(current->sessions == 0);
    assert_int_equal(vm_of(&b).clock_error_ns, 0); /* it says that it has the server's clock */
}

/* Everything that is no answer to an open probe; then one that is. */
static void only_answers_to_open_probes_count(void **state)
{
    (void)state;
    struct ixor_prober *prober = ixor_service_context(service)->prober;
    join(&a, 1, AHEAD, true);
    join(&b, 2, 0, true);
    WAIT(a.probes >= 2);
    const uint64_t now = double_now(&a), session = a.welcome.session;
    const struct ix_datagram good = {IX_ANSWER, session, 2, now, now};
    struct ix_datagram bad[8];
    for (size_t i = 0; i < 8; i++)
        bad[i] = good;
    bad[0].number = 1000;         /* never asked */
    bad[1].session += 1ull << 32; /* no session's number */
    bad[2].session |= UINT32_MAX; /* beyond all places */
    bad[3].kind = IX_REQUEST;
    bad[4].kind = IX_PROBE;
    bad[5].time_ns = UINT64_MAX;
    bad[6].sent_ns = 5; /* before it came; the probe is spent */
    bad[7].number = 1ull << 62;
    for (size_t i = 0; i < 8; i++)
        double_send_datagram(&a, &bad[i]);
    uint8_t bytes[IX_DATAGRAM_SIZE + 1] = {0};
    assert_int_equal(ix_datagram_seal(a.sealer, &good, bytes), 0);
    const struct sockaddr *to = (const struct sockaddr *)&a.prober;
    sendto(a.udp, bytes, IX_DATAGRAM_SIZE + 1, 0, to, a.prober_size);
    sendto(a.udp, bytes, 3, 0, to, a.prober_size);
    sendto(a.udp, bytes, 0, 0, to, a.prober_size);
    bytes[60] ^= 1; /* the MAC */
    sendto(a.udp, bytes, IX_DATAGRAM_SIZE, 0, to, a.prober_size);
    WAIT(ixor_prober_ignored(prober) == 12);
    assert_int_equal(session_of(&a)->jvm.clock.exchanges, 0);

    WAIT(a.probes >= 4);
    a.mute = false;
    WAIT(session_of(&a)->jvm.clock.exchanges == 1);
    a.mute = true;
    const uint64_t ignored = ixor_prober_ignored(prober);
    double_send_datagram(&a, &a.answer); /* repeated */
    WAIT(ixor_prober_ignored(prober) == ignored + 1);
    assert_int_equal(session_of(&a)->jvm.clock.exchanges, 1);
    assert_int_equal(session_of(&b)->jvm.clock.exchanges, 0);
}

static void numbers_are_used_once(void **state)
{
    (void)state;
    enum { SESSIONS = 25 };
    uint64_t seen[SESSIONS];
    for (uint32_t i = 0; i < SESSIONS; i++) {
        join(&a, i + 1, 0, false);
        seen[i] = a.welcome.session;
        for (uint32_t k = 0; k < i; k++)
            assert_true(seen[k] != seen[i]);
        double_close(&a);
        WAIT(current->sessions == 0);
    }
    assert_true((seen[SESSIONS - 1] & UINT32_MAX) < SESSIONS / 2); /* places are used again */
}

static const struct ix_datagram *last_request(const struct double_agent *agent)
{
    size_t n = sizeof agent->request / sizeof agent->request[0];
    return &agent->request[(agent->requests < n ? agent->requests : n) - 1];
}

static void report(struct double_agent *agent, uint64_t packet, uint64_t mono_ns)
{
    static struct ix_report message;
    message = (struct ix_report){.count = 1};
    message.taken[0] = (struct ix_taken){.packet = packet,
                                         .mono_ns = mono_ns,
                                         .real_ns = 1,
                                         .stop_ns = 1,
                                         .ready_ns = mono_ns - 1000};
    struct ix_out out = {0};
    ix_encode_report(&out, &message);
    double_say(agent, &out);
}

static struct ix_packet_outcome outcome;

static int note_outcome(void *user, const struct ix_packet_outcome *o)
{
    if (o->number == *(const int64_t *)user)
        outcome = *o;
    return 0;
}

/* Waits for the packet's outcome and fetches it. */
static void fetch_outcome(uint64_t packet)
{
    int64_t number = (int64_t)packet;
    outcome = (struct ix_packet_outcome){.taken = -1};
    while (outcome.taken < 0) {
        step();
        assert_int_equal(ixor_writer_flush(writer, NULL), 0);
        assert_int_equal(ix_catalogue_outcomes(catalogue, current->id, note_outcome, &number, NULL),
                         0);
    }
}

/* The same packet, for the same instant: in each JVM's own clock. */
static void targets_skew_and_late_stops(void **state)
{
    (void)state;
    join(&a, 1, 0, false);
    join(&b, 2, AHEAD, false);
    WAIT(b.probes >= IXOR_PROBE_BURST);
    size_t before = b.requests;
    WAIT(b.requests > before + 1 && last_request(&a)->number == last_request(&b)->number);
    const struct ix_datagram x = *last_request(&a), y = *last_request(&b);
    struct ixor_reading r;
    assert_true(ixor_clock_read(&session_of(&b)->jvm.clock, (int64_t)y.time_ns, &r));
    int64_t apart = (int64_t)(y.time_ns - x.time_ns) - AHEAD;
    assert_true(llabs(apart) <= r.error_ns);
    assert_true(x.time_ns <= ixor_mono_ns() + 10 * MS);

    report(&a, x.number, x.time_ns);
    report(&b, y.number, x.time_ns + AHEAD + 3 * MS); /* truly 3 ms later */
    fetch_outcome(x.number);
    assert_int_equal(outcome.taken, 2);
    assert_int_equal(outcome.lead_ns, 10 * MS);
    assert_true(llabs(outcome.skew_ns - 3 * MS) <= outcome.skew_error_ns);
    assert_true(outcome.skew_error_ns > 0);
    assert_int_equal(vm_of(&a).late, 0);
    assert_int_equal(vm_of(&b).late, 1);
}

/* A packet that one JVM never reports is closed when time is up. */
static void what_is_lost_shows(void **state)
{
    (void)state;
    join(&a, 1, 0, false);
    join(&b, 2, 0, false);
    WAIT(b.requests >= 2 && last_request(&a)->number == last_request(&b)->number);
    const uint64_t packet = last_request(&a)->number;
    report(&a, packet, last_request(&a)->time_ns);
    fetch_outcome(packet);
    assert_int_equal(outcome.taken, 1);
    assert_int_equal(outcome.skew_ns, -1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(clocks_are_found),
        TEST(a_short_life),
        TEST(only_answers_to_open_probes_count),
        TEST(numbers_are_used_once),
        TEST(targets_skew_and_late_stops),
        TEST(what_is_lost_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
