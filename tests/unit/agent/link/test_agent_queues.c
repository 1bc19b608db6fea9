/* SPDX-License-Identifier: Apache-2.0 */
/* Which request counts, and which reports are kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/link/reports.h"
#include "agent/link/requests.h"

static const uint8_t secret[IX_SECRET_SIZE] = "the session's";

#define SESSION 77u

/* A datagram of kind IX_REQUEST under the secret that both sides have. */
static void sealed(uint8_t datagram[IX_DATAGRAM_SIZE], const struct ix_datagram *d)
{
    struct ix_sealer *sealer = ix_sealer_new(secret);
    assert_non_null(sealer);
    assert_int_equal(ix_datagram_seal(sealer, d, datagram), 0);
    ix_sealer_free(sealer);
}

static void send_to(int fd, uint16_t port, uint64_t session, uint64_t packet)
{
    uint8_t datagram[IX_DATAGRAM_SIZE];
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    sealed(datagram, &(struct ix_datagram){IX_REQUEST, session, packet, 0, 0});
    assert_int_equal(sendto(fd, datagram, sizeof datagram, 0, (struct sockaddr *)&to, sizeof to),
                     sizeof datagram);
}

/* Each row: what waits in the socket (0 ends it), what comes out, and what is counted. */
static void newest_only(void **state)
{
    (void)state;
    static const struct {
        uint64_t waiting[8], newest, stale, superseded;
    } rows[] = {
        {{0}, 0, 0, 0},
        {{3}, 3, 0, 0},
        {{3}, 0, 1, 0},       /* again */
        {{4, 5, 6}, 6, 1, 2}, /* 4 and 5 were waiting when 6 came */
        {{6, 2}, 0, 3, 2},
        {{9, 7, 8, 9}, 9, 6, 2}, /* overtaken on the way, and repeated */
        {{1, 12, 10, 13, 13}, 13, 9, 3},
    };
    struct sockaddr_storage local = {0};
    struct sockaddr_in *in = (struct sockaddr_in *)&local;
    struct ixa_requests r = {.fd = -1};
    struct ixa_request request;
    uint16_t port;
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    in->sin_family = AF_INET;
    in->sin_port = htons(1); /* ignored */
    in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(ixa_requests_open(&r, &local, &port, NULL), 0);
    assert_int_equal(ixa_requests_start(&r, SESSION, secret), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (const uint64_t *p = rows[i].waiting; *p; p++)
            send_to(fd, port, SESSION, *p);
        bool found = ixa_requests_newest(&r, &request);
        assert_int_equal(found ? request.packet : 0, rows[i].newest);
        assert_int_equal(r.stale, rows[i].stale);
        assert_int_equal(r.superseded, rows[i].superseded);
        assert_int_equal(r.foreign, 0);
    }
    send_to(fd, port, SESSION + 1, 99);
    send_to(fd, port, SESSION, 14);
    send_to(fd, port, SESSION - 1, 100);
    assert_true(ixa_requests_newest(&r, &request));
    assert_int_equal(request.packet, 14);
    assert_int_equal(r.foreign, 2);
    assert_int_equal(ixa_requests_start(&r, SESSION + 1, secret), 0);
    assert_int_equal(r.foreign + r.stale + r.superseded, 0);
    send_to(fd, port, SESSION + 1, 14); /* numbers go on across sessions */
    assert_false(ixa_requests_newest(&r, &request));
    assert_int_equal(r.stale, 1);
    ixa_requests_close(&r);
    assert_int_equal(r.fd, -1);
    close(fd);
}

static void reports_are_bounded(void **state)
{
    (void)state;
    static struct ix_report message;
    struct ixa_reports q;
    assert_int_equal(ixa_reports_init(&q, NULL), 0);
    ixa_reports_fill(&q, &message);
    assert_int_equal(message.count, 0);
    for (uint64_t i = 1; i <= 5000; i++)
        ixa_reports_add(&q, &(struct ix_taken){.packet = i});
    assert_int_equal(q.count, 4096);
    assert_int_equal(q.lost, 904);
    uint64_t expected = 905; /* the oldest that is left */
    while (q.count) {
        ixa_reports_fill(&q, &message);
        assert_int_equal(message.count, q.count < IX_REPORT_MAX ? q.count : IX_REPORT_MAX);
        for (size_t i = 0; i < message.count; i++)
            assert_int_equal(message.taken[i].packet, expected++);
        ixa_reports_drop(&q, message.count);
    }
    assert_int_equal(expected, 5001);
    ixa_reports_drop(&q, 1);
    assert_int_equal(q.count, 0);
    ixa_reports_free(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newest_only),
        cmocka_unit_test(reports_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
