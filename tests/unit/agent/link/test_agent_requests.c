/* SPDX-License-Identifier: Apache-2.0 */
/* The agent's UDP port: which requests count, which probes are answered, and that a flood of either
 * cannot hold the caller. And waiting for a target time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <arpa/inet.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/base/clock.h"
#include "agent/link/await.h"
#include "agent/link/requests.h"

static const uint8_t secret[IX_SECRET_SIZE] = {7};

#define SESSION 77
#define MS 1000000ll

static struct ixa_requests requests;
static struct ix_sealer *sealer;
static int server;

static int set_up(void **state)
{
    (void)state;
    struct sockaddr_storage local = {0};
    struct sockaddr_in *in = (struct sockaddr_in *)&local;
    uint16_t port;
    in->sin_family = AF_INET;
    in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    requests = (struct ixa_requests){.fd = -1};
    assert_int_equal(ixa_requests_open(&requests, &local, &port, NULL), 0);
    assert_int_equal(ixa_requests_start(&requests, SESSION, secret), 0);
    in->sin_port = htons(port);
    server = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    assert_int_equal(connect(server, (struct sockaddr *)in, sizeof *in), 0);
    sealer = ix_sealer_new(secret);
    assert_non_null(sealer);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    ixa_requests_close(&requests);
    ix_sealer_free(sealer);
    close(server);
    return 0;
}

static void say(enum ix_datagram_kind kind, uint64_t number)
{
    uint8_t bytes[IX_DATAGRAM_SIZE];
    struct ix_datagram d = {.kind = kind, .session = SESSION, .number = number};
    assert_int_equal(ix_datagram_seal(sealer, &d, bytes), 0);
    assert_int_equal(send(server, bytes, sizeof bytes, 0), sizeof bytes);
}

/* The next answer; false: there is none. Loopback delivers before sending returns. */
static bool answered(struct ix_datagram *d)
{
    uint8_t bytes[IX_DATAGRAM_SIZE];
    ssize_t size = recv(server, bytes, sizeof bytes, 0);
    if (size < 0)
        return false;
    assert_true(ix_datagram_open(sealer, bytes, (size_t)size, d));
    assert_int_equal(d->kind, IX_ANSWER);
    assert_int_equal(d->session, SESSION);
    return true;
}

static void probes_are_answered_once(void **state)
{
    (void)state;
    struct ixa_request request;
    struct ix_datagram d;
    const uint64_t before = (uint64_t)ixa_mono_ns();
    say(IX_PROBE, 5);
    say(IX_PROBE, 5);
    say(IX_PROBE, 4);
    say(IX_PROBE, 6);
    say(IX_ANSWER, 9); /* nothing that a server sends */
    assert_false(ixa_requests_newest(&requests, &request));
    assert_true(answered(&d));
    assert_int_equal(d.number, 5);
    assert_true(before < d.time_ns && d.time_ns <= d.sent_ns);
    assert_true(d.sent_ns < (uint64_t)ixa_mono_ns());
    assert_true(answered(&d));
    assert_int_equal(d.number, 6);
    assert_false(answered(&d));
    assert_int_equal(requests.foreign, 1);
    assert_int_equal(requests.stale, 0);
    /* A new session counts anew. */
    assert_int_equal(ixa_requests_start(&requests, SESSION, secret), 0);
    say(IX_PROBE, 1);
    assert_false(ixa_requests_newest(&requests, &request));
    assert_true(answered(&d));
}

static void probes_and_requests_do_not_mind_each_other(void **state)
{
    (void)state;
    struct ixa_request request;
    struct ix_datagram d;
    say(IX_REQUEST, 3);
    say(IX_PROBE, 1);
    say(IX_REQUEST, 4);
    say(IX_REQUEST, 3); /* late */
    assert_true(ixa_requests_newest(&requests, &request));
    assert_int_equal(request.packet, 4);
    assert_true(answered(&d));
    assert_int_equal(requests.stale, 1);
    assert_int_equal(requests.superseded, 1);
    say(IX_PROBE, 2);
    say(IX_REQUEST, 4); /* repeated */
    assert_false(ixa_requests_newest(&requests, &request));
    assert_true(answered(&d));
    assert_int_equal(requests.stale, 2);
}

static void probes_are_answered_before_what_is_behind_them(void **state)
{
    (void)state;
    struct ixa_request request;
    struct ix_datagram d;
    assert_true(ixa_requests_answer(&requests)); /* nothing waits */
    say(IX_PROBE, 1);
    say(IX_REQUEST, 1);
    say(IX_PROBE, 2);
    assert_true(ixa_requests_answer(&requests));
    assert_true(answered(&d));
    assert_int_equal(d.number, 1);
    assert_false(ixa_requests_answer(&requests)); /* the request stays where it is */
    assert_false(ixa_requests_answer(&requests));
    assert_false(answered(&d));
    assert_true(ixa_requests_newest(&requests, &request));
    assert_int_equal(request.packet, 1);
    assert_true(answered(&d));
    assert_int_equal(d.number, 2);
    assert_int_equal(requests.foreign + requests.stale, 0);
    assert_int_equal(send(server, "forged", 6, 0), 6);
    assert_false(ixa_requests_answer(&requests));
    assert_int_equal(requests.foreign, 0); /* counted when it is read */
}

static void a_flood_of_probes_is_bounded(void **state)
{
    (void)state;
    struct ixa_request request;
    struct ix_datagram d;
    unsigned answers = 0;
    const int64_t began = ixa_mono_ns();
    for (uint64_t n = 1; n <= 4 * IXA_ANSWERS_MAX; n++) {
        say(IX_PROBE, n);
        assert_false(ixa_requests_newest(&requests, &request));
        answers += answered(&d);
    }
    /* More only if this took seconds, on a machine that was busy with other things. */
    const int64_t seconds = (ixa_mono_ns() - began) / 1000000000;
    assert_true(answers <= IXA_ANSWERS_MAX * (1 + seconds));
    assert_true(answers >= IXA_ANSWERS_MAX);
    say(IX_REQUEST, 1);
    assert_true(ixa_requests_newest(&requests, &request));
}

/* ---- waiting ---- */

static bool nothing_to_do(void *user)
{
    (void)user;
    return false;
}

static const struct ixa_meanwhile idle = {.fd = -1, .work = nothing_to_do};

static bool answer_probe(void *user)
{
    return ixa_requests_answer(user);
}

static struct ixa_instant named(uint64_t target_ns)
{
    struct ixa_instant instant;
    ixa_instant_init(&instant);
    ixa_instant_name(&instant, target_ns);
    return instant;
}

static void no_instant_is_at_once(void **state)
{
    (void)state;
    const int stop_fd = eventfd(1, 0); /* not even asked */
    struct ixa_instant instant = named(0);
    assert_true(ixa_await(stop_fd, &instant, &idle));
    close(stop_fd);
}

static void probes_are_answered_meanwhile(void **state)
{
    (void)state;
    struct ix_datagram d;
    const struct ixa_meanwhile probes = {requests.fd, answer_probe, &requests};
    const int stop_fd = eventfd(0, 0);
    const uint64_t target = (uint64_t)ixa_mono_ns() + 300 * MS;
    struct ixa_instant instant = named(target);
    say(IX_PROBE, 1);
    say(IX_PROBE, 2);
    say(IX_REQUEST, 1);
    assert_true(ixa_await(stop_fd, &instant, &probes));
    assert_true(ixa_mono_ns() >= ixa_instant_wakes_at(&instant));
    for (uint64_t n = 1; n <= 2; n++) {
        assert_true(answered(&d));
        assert_int_equal(d.number, n);
        assert_true(d.sent_ns < target);
    }
    close(stop_fd);
}

static void waiting_ends_when_told(void **state)
{
    (void)state;
    const int stop_fd = eventfd(1, 0);
    const int64_t now = ixa_mono_ns();
    struct ixa_instant instant = named((uint64_t)now + IX_TARGET_AHEAD_MAX_NS - 1);
    assert_false(ixa_await(stop_fd, &instant, &idle));
    assert_true(ixa_mono_ns() - now < (int64_t)IX_TARGET_AHEAD_MAX_NS);
    close(stop_fd);
}

/* Last, for a clock that has begun does not go back. */
static void a_shifted_clock(void **state)
{
    (void)state;
    const int stop_fd = eventfd(0, 0);
    int64_t real = ix_clock_ns(CLOCK_MONOTONIC);
    ixa_clock_set_shift(-5000 * MS, 200000);
    ixa_clock_set_shift(7000 * MS, 0);
    int64_t shifted = ixa_mono_ns();
    assert_true(shifted >= real - 5000 * MS);
    assert_true(shifted <= ix_clock_ns(CLOCK_MONOTONIC) - 5000 * MS + MS);
    struct ixa_instant instant = named((uint64_t)shifted + 50 * MS);
    assert_true(ixa_await(stop_fd, &instant, &idle));
    ixa_instant_reach(&instant);
    assert_true(ix_clock_ns(CLOCK_MONOTONIC) - real >= 49 * MS);
    /* 200 ppm of 50 ms are 10 us. */
    assert_true(ixa_mono_ns() - (ix_clock_ns(CLOCK_MONOTONIC) - 5000 * MS) >= 9000);
    close(stop_fd);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(probes_are_answered_once),
        TEST(probes_and_requests_do_not_mind_each_other),
        TEST(probes_are_answered_before_what_is_behind_them),
        TEST(probes_are_answered_meanwhile),
        TEST(a_flood_of_probes_is_bounded),
        cmocka_unit_test(no_instant_is_at_once),
        cmocka_unit_test(waiting_ends_when_told),
        cmocka_unit_test(a_shifted_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
