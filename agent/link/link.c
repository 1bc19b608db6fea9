/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/link/link.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/base/clock.h"
#include "agent/base/jitter.h"
#include "agent/link/await.h"
#include "agent/link/connect.h"
#include "agent/link/reports.h"
#include "agent/link/requests.h"
#include "schema/protocol/keyplace.h"
#include "schema/protocol/wire.h"

#define MS 1000000ll           /* ns */
#define CONNECT_NS (3000 * MS) /* a SYN and its first two retransmissions */
#define SECURE_NS (5000 * MS)
#define WELCOME_NS (5000 * MS)
#define UNTRUSTED_NS (1000 * MS) /* a server that is just starting will soon store its key */
/* A server that starts together with the JVMs gets this long. */
#define UNREACHABLE_NS (3000 * MS)
#define BACKOFF_FIRST_NS (100 * MS)
#define BACKOFF_LAST_NS (5000 * MS)
#define ACCEPT_NS (100 * MS) /* how long the server may take to read a goodbye */
#define NEVER INT64_MAX

enum state { DOWN, CONNECTING, SECURING, GREETED, UP, REFUSED };

struct ixa_link {
    struct ixa_link_config config;
    enum state state;
    struct ixa_dialer dialer;
    struct ixa_requests requests;
    struct ix_key key; /* of this handshake */
    bool has_campaign; /* there was a session, with this key and campaign */
    struct ix_key campaign;
    struct ixa_reports reports;
    int tcp;                       /* -1: none */
    struct sockaddr_storage local; /* its local address */
    struct ix_tls *tls;
    struct ix_wire *wire; /* over tcp; NULL before SECURING */
    bool other_key;       /* the given key was not accepted: try the other one next */
    bool untrusted_told, untrusted_due;
    int64_t untrusted_since; /* 0: not since the last session */
    const char *untrusted;
    struct ix_out out; /* frames being sent; `sent` of their bytes are gone */
    size_t sent;
    size_t reporting; /* reports contained in `out` */
    uint8_t in[IX_MESSAGE_PREFIX + IX_MESSAGE_MAX];
    size_t in_len;
    struct ix_report report; /* here because it is too large for a stack */
    struct ix_welcome welcome;
    struct ix_refuse refuse;
    int64_t born;
    bool unreachable_told, unreachable_due;
    int64_t retry_at, backoff; /* state DOWN */
    int64_t limit;             /* CONNECTING, SECURING, GREETED: deadline */
    int64_t up_since;
    int64_t heard, spoke; /* last bytes received and sent */
    int64_t report_due;   /* NEVER: nothing to report */
    int64_t extension_at; /* when to ask the extension again */
    int64_t linger_until; /* 0: not lingering */
    uint64_t jitter;
    enum ix_test_verdict verdict; /* of the GOODBYE */
};

struct ixa_link *ixa_link_new(const struct ixa_link_config *config, struct ix_error *err)
{
    struct ixa_link *l = calloc(1, sizeof *l);
    if (!l) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    l->requests.fd = l->tcp = -1;
    l->tls = ix_tls_new(IX_TLS_CLIENT, err);
    if (!l->tls ||
        (config->files && ix_tls_certify(l->tls, config->files, config->host, err) != 0) ||
        ixa_reports_init(&l->reports, err) != 0) {
        ixa_link_free(l);
        return NULL;
    }
    l->config = *config;
    l->dialer = (struct ixa_dialer){.host = config->host, .port = config->port};
    l->born = ixa_mono_ns();
    l->backoff = BACKOFF_FIRST_NS;
    l->report_due = NEVER;
    l->jitter = (uint64_t)ix_real_ns() ^ ((uint64_t)config->hello->pid << 32);
    return l;
}

void ixa_link_free(struct ixa_link *l)
{
    if (!l)
        return;
    ix_wire_free(l->wire);
    ix_tls_free(l->tls);
    if (l->tcp >= 0)
        close(l->tcp);
    ixa_requests_close(&l->requests);
    ixa_reports_free(&l->reports);
    ixa_dialer_free(&l->dialer);
    ix_out_free(&l->out);
    free(l);
}

int ixa_link_descriptor(const struct ixa_link *l)
{
    return l->tcp;
}

const char *ixa_link_execution(const struct ixa_link *l)
{
    return l->welcome.execution;
}

const char *ixa_link_refusal(const struct ixa_link *l)
{
    return l->refuse.reason;
}

const char *ixa_link_untrusted(const struct ixa_link *l)
{
    return l->untrusted;
}

/* Closes the connection. Reports that were not sent completely are sent again on the next one. */
static void disconnect(struct ixa_link *l)
{
    int64_t now = ixa_mono_ns();
    ix_wire_free(l->wire);
    l->wire = NULL;
    if (l->tcp >= 0)
        close(l->tcp);
    l->tcp = -1;
    ixa_requests_close(&l->requests);
    ix_out_clear(&l->out);
    l->sent = l->reporting = l->in_len = 0;
    if (l->state == UP && now - l->up_since > BACKOFF_LAST_NS)
        l->backoff = BACKOFF_FIRST_NS;
    l->state = DOWN;
    /* A name can have several addresses: try the next one without a pause. */
    l->retry_at = l->dialer.next ? now : now + ixa_jittered(&l->jitter, l->backoff);
    if (!l->dialer.next && (l->backoff *= 2) > BACKOFF_LAST_NS)
        l->backoff = BACKOFF_LAST_NS;
}

static void dial(struct ixa_link *l)
{
    l->tcp = ixa_dial(&l->dialer);
    if (l->tcp < 0) {
        disconnect(l);
        return;
    }
    l->state = CONNECTING;
    l->limit = ixa_mono_ns() + CONNECT_NS;
}

/* Gives up for now; reports why if it has been so for some time. */
static void give_up_untrusted(struct ixa_link *l, const char *why)
{
    const int64_t now = ixa_mono_ns();
    if (!l->untrusted_since)
        l->untrusted_since = now;
    if (!l->untrusted_told && now - l->untrusted_since >= UNTRUSTED_NS) {
        l->untrusted_told = l->untrusted_due = l->unreachable_told = true;
        l->untrusted = why;
    }
    disconnect(l);
}

/* Chooses the key for the next handshake: the given one, or that of a server on this host, which
 * may change each time the server starts. */
static bool choose_key(struct ixa_link *l)
{
    const struct ix_key *given = l->config.key;
    const bool found = (!given || l->other_key) && ix_keyplace_find(l->config.port, &l->key);
    if (!found && !given)
        return false;
    if (!found)
        l->key = *given;
    ix_tls_set_key(l->tls, IX_KEY_AGENT, &l->key);
    return true;
}

static void begin_handshake(struct ixa_link *l)
{
    if (ixa_dial_result(l->tcp, &l->local) != 0) {
        disconnect(l);
        return;
    }
    if (!choose_key(l)) {
        give_up_untrusted(
            l, "is there, but this JVM has no key for it: give it the campaign's agent.key "
               "with key=FILE");
        return;
    }
    l->wire = ix_wire_new(l->tls, l->tcp);
    if (!l->wire) {
        disconnect(l);
        return;
    }
    l->state = SECURING;
    l->limit = ixa_mono_ns() + SECURE_NS;
}

/* A key other than the last session's belongs to another campaign, which numbers its own
 * packets. */
static void note_campaign(struct ixa_link *l)
{
    if (!l->has_campaign || memcmp(&l->key, &l->campaign, sizeof l->key) == 0)
        return;
    l->has_campaign = false;
    l->requests.last = 0;
    ixa_reports_drop(&l->reports, l->reports.count);
    l->reports.lost = 0;
    if (l->config.other_campaign)
        l->config.other_campaign(l->config.user);
}

static void send_hello(struct ixa_link *l)
{
    if (l->config.may_greet && !l->config.may_greet()) {
        disconnect(l); /* stop_fd is readable */
        return;
    }
    note_campaign(l);
    struct ix_hello hello = *l->config.hello;
    if (ixa_requests_open(&l->requests, &l->local, &hello.udp_port, NULL) != 0) {
        disconnect(l);
        return;
    }
    int64_t now = ixa_mono_ns();
    hello.last_packet = l->requests.last;
    hello.mono_ns = (uint64_t)now;
    ix_encode_hello(&l->out, &hello);
    l->state = GREETED;
    l->limit = now + WELCOME_NS;
    l->heard = l->spoke = now;
}

/* Continues the handshake. */
static void handshake(struct ixa_link *l)
{
    const int done = ix_wire_shake(l->wire);
    if (done > 0) {
        send_hello(l);
    } else if (done < 0 && ix_wire_fault(l->wire) == IX_TLS_KEY) {
        l->other_key = !l->other_key;
        give_up_untrusted(l, "does not accept this JVM's key, which is another campaign's");
    } else if (done < 0 && ix_wire_fault(l->wire) == IX_TLS_CERTIFICATE) {
        give_up_untrusted(l, "and this JVM do not accept each other's certificates");
    } else if (done < 0 && ix_wire_fault(l->wire) == IX_TLS_OTHER) {
        give_up_untrusted(l, "is not an Ixor server, or has another version");
    } else if (done < 0) {
        disconnect(l);
    }
}

/* Passes bytes to the kernel; the rest waits for POLLOUT. */
static void flush(struct ixa_link *l)
{
    if (l->out.failed) {
        disconnect(l);
        return;
    }
    while (l->sent < l->out.len) {
        const ssize_t n = ix_wire_write(l->wire, l->out.data + l->sent, l->out.len - l->sent);
        if (n == 0)
            return;
        if (n < 0) {
            disconnect(l);
            return;
        }
        l->sent += (size_t)n;
        l->spoke = ixa_mono_ns();
    }
    ix_out_clear(&l->out);
    l->sent = 0;
    ixa_reports_drop(&l->reports, l->reporting);
    l->reporting = 0;
}

/* Puts a report into `out`, which is empty: only one is sent at a time. */
static void put_report(struct ixa_link *l)
{
    l->report.stale = l->requests.stale;
    l->report.superseded = l->requests.superseded;
    l->report.foreign = l->requests.foreign;
    ixa_reports_fill(&l->reports, &l->report);
    ix_encode_report(&l->out, &l->report);
    l->reporting = l->report.count;
    l->report_due = l->reports.count > l->reporting ? ixa_mono_ns() : NEVER;
}

/* A server that asks for rare reports has thousands of sessions, and wants rare keepalives, too. */
static int64_t keepalive_ns(const struct ixa_link *l)
{
    return l->welcome.report_ns > IX_KEEPALIVE_RARE_MS * MS ? IX_KEEPALIVE_RARE_MS * MS
                                                            : IX_KEEPALIVE_MS * MS;
}

/* How long the next report may wait, minus some time for sending it. A server with thousands of
 * sessions wants rare reports, and not all at the same time. */
static int64_t report_delay(struct ixa_link *l)
{
    const uint64_t asked = l->welcome.report_ns;
    if (!asked)
        return IX_REPORT_DELAY_MS * MS / 5 * 4;
    return ixa_jittered(&l->jitter, (int64_t)asked / 5 * 3); /* WELCOME limits `asked` */
}

/* Schedules a report. */
static void expect_report(struct ixa_link *l)
{
    if (l->reports.count >= IX_REPORT_MAX / 2)
        l->report_due = ixa_mono_ns();
    else if (l->report_due == NEVER)
        l->report_due = ixa_mono_ns() + report_delay(l);
}

/* ---- timers ---- */

static int64_t retry_due(const struct ixa_link *l)
{
    return l->retry_at;
}

static int64_t limit_due(const struct ixa_link *l)
{
    return l->limit;
}

static int64_t silence_due(const struct ixa_link *l)
{
    return l->heard + IX_SILENCE_MS * MS;
}

static int64_t report_due(const struct ixa_link *l)
{
    return l->report_due;
}

static int64_t extension_due(const struct ixa_link *l)
{
    return l->extension_at;
}

static int64_t keepalive_due(const struct ixa_link *l)
{
    return l->spoke + keepalive_ns(l);
}

static int64_t linger_due(const struct ixa_link *l)
{
    return l->linger_until ? l->linger_until : NEVER;
}

static int64_t unreachable_due(const struct ixa_link *l)
{
    return l->unreachable_told ? NEVER : l->born + UNREACHABLE_NS;
}

static void ask_extension(struct ixa_link *l)
{
    l->extension_at = l->config.extension.send(l->config.extension.user, &l->out, ixa_mono_ns());
}

static void put_keepalive(struct ixa_link *l)
{
    ix_encode_keepalive(&l->out);
}

static void wake(struct ixa_link *l)
{
    (void)l; /* ixa_link_linger checks the time itself */
}

static void report_unreachable(struct ixa_link *l)
{
    l->unreachable_told = l->unreachable_due = true;
}

/* All timers. Each is active in some states. A timer that puts something into `out` runs only while
 * `out` is empty, so the first of several due timers goes first. */
#define IN(state) (1u << (state))
static const struct timer {
    unsigned states;
    bool fills_out;
    int64_t (*due)(const struct ixa_link *l);
    void (*fire)(struct ixa_link *l);
} timers[] = {
    {IN(DOWN), false, retry_due, dial},
    {IN(CONNECTING) | IN(SECURING) | IN(GREETED), false, limit_due, disconnect},
    {IN(UP), false, silence_due, disconnect},
    {IN(UP), true, report_due, put_report},
    {IN(UP), true, extension_due, ask_extension},
    {IN(UP), true, keepalive_due, put_keepalive},
    {IN(UP), false, linger_due, wake},
    {~0u, false, unreachable_due, report_unreachable},
};
#define TIMERS (sizeof timers / sizeof *timers)

static bool counts(const struct timer *t, const struct ixa_link *l)
{
    return (t->states & IN(l->state)) && !(t->fills_out && l->out.len);
}

/* Does what needs no event: handshake, timers, sending. */
static void on_time(struct ixa_link *l, int64_t now)
{
    if (l->state == SECURING)
        handshake(l);
    for (size_t i = 0; i < TIMERS; i++)
        if (counts(&timers[i], l) && now >= timers[i].due(l))
            timers[i].fire(l);
    if (l->state == UP || l->state == GREETED)
        flush(l);
}

/* When the next timer is due. */
static int64_t next_time(const struct ixa_link *l)
{
    int64_t at = NEVER;
    for (size_t i = 0; i < TIMERS; i++)
        if (counts(&timers[i], l) && timers[i].due(l) < at)
            at = timers[i].due(l);
    return at;
}

/* ---- what comes ---- */

static void receive(struct ixa_link *l)
{
    const ssize_t n = ix_wire_read(l->wire, l->in + l->in_len, sizeof l->in - l->in_len);
    if (n > 0) {
        l->in_len += (size_t)n;
        l->heard = ixa_mono_ns();
    } else if (n < 0) {
        disconnect(l);
    }
}

/* Begins the session granted by WELCOME. */
static int begin_session(struct ixa_link *l)
{
    uint8_t secret[IX_SECRET_SIZE];
    if (ix_wire_secret(l->wire, secret) != 0 ||
        ixa_requests_start(&l->requests, l->welcome.session, secret) != 0)
        return -1;
    l->state = UP;
    l->up_since = ixa_mono_ns();
    l->extension_at = l->config.extension.send ? l->up_since : NEVER;
    l->report_due = l->reports.count ? l->up_since : NEVER;
    l->has_campaign = true;
    l->campaign = l->key;
    l->unreachable_told = true; /* it was reached */
    l->unreachable_due = false;
    l->untrusted_since = 0;
    return 0;
}

/* Handles one message. True with an event for the caller. A message that is out of place or
 * malformed ends the connection. */
static bool on_message(struct ixa_link *l, const struct ix_message_frame *m, enum ixa_event *event)
{
    if (m->type == IX_WELCOME && l->state == GREETED &&
        ix_decode_welcome(m->payload, m->payload_size, &l->welcome, NULL) == 0 &&
        l->welcome.session) {
        if (begin_session(l) != 0) {
            disconnect(l);
            return false;
        }
        *event = IXA_WELCOME;
        return true;
    }
    if (m->type == IX_REFUSE && l->state == GREETED &&
        ix_decode_refuse(m->payload, m->payload_size, &l->refuse, NULL) == 0) {
        disconnect(l);
        l->state = REFUSED;
        *event = IXA_REFUSED;
        return true;
    }
    if (m->type <= IX_GOODBYE) {
        if (m->type != IX_KEEPALIVE)
            disconnect(l);
    } else if (l->config.extension.receive && l->state == UP) { /* otherwise of a later version */
        if (l->config.extension.receive(l->config.extension.user, m) == 0)
            l->extension_at = 0;
        else
            disconnect(l);
    }
    return false;
}

/* Takes complete messages out of the input buffer until one of them is an event. */
static bool take_messages(struct ixa_link *l, enum ixa_event *event)
{
    struct ix_message_frame m;
    bool told = false;
    size_t at = 0;
    while (!told && at < l->in_len) {
        int got = ix_next_message(l->in + at, l->in_len - at, &m, NULL);
        if (got < 0)
            disconnect(l);
        if (got <= 0)
            break;
        at += m.size;
        told = on_message(l, &m, event);
    }
    if (at > l->in_len)
        at = l->in_len; /* the connection was closed meanwhile */
    memmove(l->in, l->in + at, l->in_len - at);
    l->in_len -= at;
    return told;
}

/* Sleeps until a descriptor is ready or something is due; false if told to stop. */
static bool sleep_for_events(struct ixa_link *l, bool *tcp, bool *udp)
{
    const short tcp_events = l->wire ? ix_wire_events(l->wire) : POLLOUT; /* CONNECTING */
    const bool pending = l->wire && ix_wire_pending(l->wire);
    struct pollfd fds[3] = {
        {.fd = l->linger_until ? -1 : l->config.stop_fd, .events = POLLIN},
        {.fd = l->tcp, .events = tcp_events},
        {.fd = l->state == UP && !l->linger_until ? l->requests.fd : -1, .events = POLLIN},
    };
    int64_t at = next_time(l), now = ixa_mono_ns();
    struct timespec timeout = {0};
    if (at > now && !pending)
        timeout = (struct timespec){.tv_sec = (at - now) / 1000000000,
                                    .tv_nsec = (at - now) % 1000000000};
    if (ppoll(fds, 3, at == NEVER && !pending ? NULL : &timeout, NULL) <= 0)
        fds[0].revents = fds[1].revents = fds[2].revents = 0;
    *tcp = pending || fds[1].revents != 0;
    *udp = fds[2].revents != 0;
    return fds[0].revents == 0;
}

/* Reads all that has arrived on this session's UDP port. True with a request to take. */
static bool take_request(struct ixa_link *l, struct ixa_request *request)
{
    const struct ixa_requests *r = &l->requests;
    uint64_t dropped = r->stale + r->superseded + r->foreign;
    bool found = ixa_requests_newest(&l->requests, request);
    if (dropped != r->stale + r->superseded + r->foreign)
        expect_report(l);
    return found;
}

static bool answer_probe(void *user)
{
    return ixa_requests_answer(user);
}

/* Meanwhile answers the server's clock probes: with short intervals and long leads there is hardly
 * a moment in which no target is awaited. */
static enum ixa_event await_target(struct ixa_link *l, const struct ixa_request *request)
{
    const struct ixa_meanwhile probes = {l->requests.fd, answer_probe, &l->requests};
    return ixa_await(l->config.stop_fd, request->target_ns, &probes) ? IXA_REQUEST : IXA_STOP;
}

enum ixa_event ixa_link_wait(struct ixa_link *l, struct ixa_request *request)
{
    enum ixa_event event;
    for (;;) {
        bool tcp, udp;
        int64_t now = ixa_mono_ns();
        on_time(l, now);
        if (take_messages(l, &event))
            return event;
        if (l->unreachable_due) {
            l->unreachable_due = false;
            return IXA_UNREACHABLE;
        }
        if (l->untrusted_due) {
            l->untrusted_due = false;
            return IXA_UNTRUSTED;
        }
        if (!sleep_for_events(l, &tcp, &udp))
            return IXA_STOP;
        if (tcp && l->state == CONNECTING)
            begin_handshake(l); /* on_time continues it */
        else if (tcp && l->state != SECURING)
            receive(l);
        if (udp && l->state == UP && take_request(l, request))
            return await_target(l, request);
    }
}

void ixa_link_taken(struct ixa_link *l, const struct ix_taken *taken)
{
    ixa_reports_add(&l->reports, taken);
    expect_report(l);
}

void ixa_link_linger(struct ixa_link *l, bool (*done)(void *user), int64_t until_ns)
{
    enum ixa_event event;
    bool tcp, udp;
    l->linger_until = until_ns;
    l->extension_at = 0;
    while (l->state == UP && !done(l->config.extension.user)) {
        const int64_t now = ixa_mono_ns();
        if (now >= until_ns)
            break;
        on_time(l, now);
        take_messages(l, &event); /* a session that is up has no events */
        if (l->state != UP || done(l->config.extension.user))
            break;
        sleep_for_events(l, &tcp, &udp);
        if (tcp)
            receive(l);
    }
    l->linger_until = 0;
}

void ixa_link_verdict(struct ixa_link *l, enum ix_test_verdict verdict)
{
    l->verdict = verdict;
}

/* Waits until the server has closed the connection, which it does after reading the goodbye, and
 * discards what it still sends. Closing with unread data would send a reset, and the server could
 * take this JVM for one that vanished. */
static void await_acceptance(struct ixa_link *l)
{
    const int64_t end = ixa_mono_ns() + ACCEPT_NS;
    for (;;) {
        const ssize_t n = recv(l->tcp, l->in, sizeof l->in, MSG_DONTWAIT);
        const int64_t left = end - ixa_mono_ns();
        struct pollfd in = {.fd = l->tcp, .events = POLLIN};
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR) || left <= 0 ||
            poll(&in, 1, (int)(left / MS) + 1) < 0)
            break;
    }
}

void ixa_link_goodbye(struct ixa_link *l, enum ix_goodbye_reason reason, const char *text,
                      int timeout_ms)
{
    const int64_t end = ixa_mono_ns() + timeout_ms * MS;
    bool said = false;
    if (l->state == GREETED) /* the server has a HELLO, or gets one, and accepts the rest after
                              * it */
        l->report_due = l->reports.count ? 0 : NEVER;
    while ((l->state == UP || l->state == GREETED) && !(said && !l->out.len)) {
        if (!l->out.len && l->report_due != NEVER) {
            put_report(l);
        } else if (!l->out.len) {
            struct ix_goodbye bye = {.reason = (uint8_t)reason, .verdict = (uint8_t)l->verdict};
            if (l->reports.lost && !*text)
                snprintf(bye.text, sizeof bye.text, "%llu packets were taken but not reported",
                         (unsigned long long)l->reports.lost);
            else
                snprintf(bye.text, sizeof bye.text, "%s", text);
            ix_encode_goodbye(&l->out, &bye);
            said = true;
        }
        flush(l);
        int64_t left = end - ixa_mono_ns();
        struct pollfd out = {.fd = l->tcp, .events = POLLOUT};
        if (l->tcp >= 0 && l->out.len && (left <= 0 || poll(&out, 1, (int)(left / MS) + 1) < 0))
            break;
    }
    if (said && l->wire) {
        ix_wire_end(l->wire);
        await_acceptance(l);
    }
    disconnect(l);
}
