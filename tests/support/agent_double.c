/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/agent_double.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

const struct ix_key double_campaign = {.bytes = "the campaign of the tests"};

uint64_t double_now(const struct double_agent *a)
{
    return ixor_mono_ns() + (uint64_t)a->ahead_ns;
}

void double_open_as(struct double_agent *a, const struct ixor_address *server, uint32_t pid,
                    enum ix_key_kind kind)
{
    struct ixor_address own;
    struct ix_key key;
    signal(SIGPIPE, SIG_IGN); /* as agent and server do: the other side may hang up at any time */
    *a = (struct double_agent){
        .hello = {.pid = pid, .started_ns = 1000 + pid, .mono_ns = ixor_mono_ns()}};
    ix_machine_name(a->hello.machine);
    snprintf(a->hello.role, sizeof a->hello.role, "Role%u", pid);
    snprintf(a->hello.host, sizeof a->hello.host, "host");
    snprintf(a->hello.jvm, sizeof a->hello.jvm, "double");
    snprintf(a->hello.log, sizeof a->hello.log, "/tmp/double-%u.ixl", pid);
    a->tcp = socket(AF_INET, SOCK_STREAM, 0);
    a->udp = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    assert_true(a->tcp >= 0 && a->udp >= 0);
    assert_int_equal(ixor_parse_address("127.0.0.1:0", &own, NULL), 0);
    assert_int_equal(bind(a->udp, (struct sockaddr *)&own.sa, own.len), 0);
    assert_int_equal(getsockname(a->udp, (struct sockaddr *)&own.sa, &own.len), 0);
    a->hello.udp_port = ixor_address_port(&own);
    assert_int_equal(connect(a->tcp, (const struct sockaddr *)&server->sa, server->len), 0);
    assert_int_equal(ix_key_derive(&double_campaign, kind, &key, NULL), 0);
    a->tls = ix_tls_new(IX_TLS_CLIENT, NULL);
    assert_non_null(a->tls);
    ix_tls_set_key(a->tls, kind, &key);
    a->wire = ix_wire_new(a->tls, a->tcp);
    assert_non_null(a->wire);
}

void double_open(struct double_agent *a, const struct ixor_address *server, uint32_t pid)
{
    double_open_as(a, server, pid, IX_KEY_AGENT);
}

void double_close(struct double_agent *a)
{
    ix_wire_free(a->wire);
    ix_tls_free(a->tls);
    ix_out_free(&a->out);
    a->wire = NULL;
    a->tls = NULL;
    close(a->tcp);
    close(a->udp);
    ix_sealer_free(a->sealer);
    a->sealer = NULL;
    a->tcp = a->udp = -1;
}

/* Continues the handshake, and sends what is queued. */
static void double_pump(struct double_agent *a)
{
    uint8_t secret[IX_SECRET_SIZE];
    const int done = a->known ? 0 : ix_wire_shake(a->wire);
    if (done < 0)
        a->eof = true;
    if (done > 0) {
        a->known = true;
        assert_int_equal(ix_wire_secret(a->wire, secret), 0);
        a->sealer = ix_sealer_new(secret);
        assert_non_null(a->sealer);
    }
    size_t sent = 0;
    ssize_t n = 1;
    while (a->known && n > 0 && sent < a->out.len) {
        n = ix_wire_write(a->wire, a->out.data + sent, a->out.len - sent);
        sent += n > 0 ? (size_t)n : 0;
    }
    if (sent)
        memmove(a->out.data, a->out.data + sent, a->out.len -= sent);
}

void double_send(struct double_agent *a, const void *data, size_t size)
{
    ix_put_bytes(&a->out, data, size);
    assert_false(a->out.failed);
    double_pump(a);
}

void double_say(struct double_agent *a, struct ix_out *out)
{
    assert_false(out->failed);
    double_send(a, out->data, out->len);
    ix_out_free(out);
}

void double_hello(struct double_agent *a)
{
    struct ix_out out = {0};
    ix_encode_hello(&out, &a->hello);
    double_say(a, &out);
}

void double_goodbye(struct double_agent *a, uint8_t reason, const char *text)
{
    struct ix_goodbye bye = {.reason = reason};
    snprintf(bye.text, sizeof bye.text, "%s", text);
    struct ix_out out = {0};
    ix_encode_goodbye(&out, &bye);
    double_say(a, &out);
}

void double_report(struct double_agent *a, uint64_t first, uint64_t last, uint64_t stop_ns)
{
    static struct ix_report report;
    report = (struct ix_report){.stale = 1, .superseded = 2, .foreign = 3};
    for (uint64_t p = first; p <= last; p++)
        report.taken[report.count++] = (struct ix_taken){.packet = p,
                                                         .mono_ns = p * 1000000,
                                                         .real_ns = p * 1000000,
                                                         .stop_ns = stop_ns,
                                                         .threads = 5,
                                                         .frames = 50};
    struct ix_out out = {0};
    ix_encode_report(&out, &report);
    double_say(a, &out);
}

static void double_take(struct double_agent *a, const struct ix_message_frame *f)
{
    struct ix_error err = {""};
    switch (f->type) {
    case IX_WELCOME:
        assert_int_equal(ix_decode_welcome(f->payload, f->payload_size, &a->welcome, &err), 0);
        a->welcomed = true;
        break;
    case IX_REFUSE:
        assert_int_equal(ix_decode_refuse(f->payload, f->payload_size, &a->refuse, &err), 0);
        a->refused = true;
        break;
    case IX_KEEPALIVE:
        a->keepalives++;
        break;
    case IX_LOG_ACCEPT:
        assert_int_equal(ix_decode_log_accept(f->payload, f->payload_size, &a->accept, &err), 0);
        a->accepts++;
        break;
    case IX_LOG_STORED:
        assert_int_equal(ix_decode_log_stored(f->payload, f->payload_size, &a->stored, &err), 0);
        a->storeds++;
        break;
    case IX_LOG_WANTED:
        assert_int_equal(ix_decode_log_wanted(f->payload, f->payload_size, &a->wanted, &err), 0);
        a->wanteds++;
        break;
    case IX_REPLY:
        assert_int_equal(ix_decode_reply(f->payload, f->payload_size, &a->reply, &err), 0);
        a->replies++;
        break;
    default:
        fail_msg("the server sent message type %d", f->type);
    }
}

void double_send_datagram(struct double_agent *a, const struct ix_datagram *d)
{
    uint8_t bytes[IX_DATAGRAM_SIZE];
    assert_int_equal(ix_datagram_seal(a->sealer, d, bytes), 0);
    sendto(a->udp, bytes, sizeof bytes, 0, (const struct sockaddr *)&a->prober, a->prober_size);
}

static void double_answer(struct double_agent *a, const struct ix_datagram *probe, uint64_t come)
{
    a->probes++;
    if (a->mute)
        return;
    a->answer = (struct ix_datagram){IX_ANSWER, probe->session, probe->number, come, double_now(a)};
    double_send_datagram(a, &a->answer);
}

void double_receive(struct double_agent *a)
{
    uint8_t datagram[128];
    ssize_t n;
    struct ix_datagram request;
    struct sockaddr_storage from;
    socklen_t size = sizeof from;
    while ((n = recvfrom(a->udp, datagram, sizeof datagram, 0, (struct sockaddr *)&from, &size)) >
           0) {
        uint64_t come = double_now(a);
        assert_true(ix_datagram_open(a->sealer, datagram, (size_t)n, &request));
        if (request.kind == IX_PROBE) {
            a->prober = from;
            a->prober_size = size;
            double_answer(a, &request, come);
            continue;
        }
        if (a->requests < sizeof a->request / sizeof a->request[0])
            a->request[a->requests] = request;
        a->requests++;
    }
    if (a->eof)
        return;
    double_pump(a);
    if (!a->known)
        return;
    n = ix_wire_read(a->wire, a->in + a->in_size, sizeof a->in - a->in_size);
    if (n < 0)
        a->eof = true;
    if (n > 0)
        a->in_size += (size_t)n;
    struct ix_message_frame frame;
    while (ix_next_message(a->in, a->in_size, &frame, NULL) == 1) {
        double_take(a, &frame);
        a->in_size -= frame.size;
        memmove(a->in, a->in + frame.size, a->in_size);
    }
}
