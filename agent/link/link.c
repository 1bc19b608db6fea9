/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/link/link.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/base/clock.h"
#include "agent/base/jitter.h"
#include "agent/link/await.h"
#include "agent/link/connect.h"
#include "agent/link/keys.h"
#include "agent/link/requests.h"
#include "agent/link/sender.h"
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

enum state { DOWN, CONNECTING, SECURING, GREETED, UP, REFUSED };

struct ixa_link {
    struct ixa_link_config config;
    enum state state;
    struct ixa_dialer dialer;
    struct ixa_requests requests;
    struct ixa_keys keys;
    struct ixa_sender sender;
    int tcp;                       /* -1: none */
    struct sockaddr_storage local; /* its local address */
    struct ix_tls *tls;
    struct ix_wire *wire; /* over tcp; NULL before SECURING */
    bool untrusted_told, untrusted_due;
    int64_t untrusted_since; /* 0: not since the last session */
    const char *untrusted;
    uint8_t in[IX_MESSAGE_PREFIX + IX_MESSAGE_MAX];
    size_t in_len;
    struct ix_welcome welcome;
    struct ix_refuse refuse;
    int64_t born;
    bool unreachable_told, unreachable_due;
    int64_t retry_at, backoff; /* state DOWN */
    int64_t limit;             /* CONNECTING, SECURING, GREETED: deadline */
    int64_t up_since;
    int64_t heard;        /* last bytes received */
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
        ixa_sender_init(&l->sender, err) != 0) {
        ixa_link_free(l);
        return NULL;
    }
    l->config = *config;
    l->dialer = (struct ixa_dialer){.host = config->host, .port = config->port};
    l->keys = (struct ixa_keys){.given = config->key, .port = config->port};
    l->born = ixa_mono_ns();
    l->backoff = BACKOFF_FIRST_NS;
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
    ixa_sender_free(&l->sender);
    ixa_dialer_free(&l->dialer);
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
    ixa_sender_reset(&l->sender);
    l->in_len = 0;
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

static void begin_handshake(struct ixa_link *l)
{
    if (ixa_dial_result(l->tcp, &l->local) != 0) {
        disconnect(l);
        return;
    }
    if (!ixa_keys_choose(&l->keys)) {
        give_up_untrusted(
            l, "is there, but this JVM has no key for it: give it the campaign's agent.key "
               "with key=FILE");
        return;
    }
    ix_tls_set_key(l->tls, IX_KEY_AGENT, &l->keys.key);
    l->wire = ix_wire_new(l->tls, l->tcp);
    if (!l->wire) {
        disconnect(l);
        return;
    }
    l->state = SECURING;
    l->limit = ixa_mono_ns() + SECURE_NS;
}

/* Another campaign numbers its own packets. */
static void begin_campaign(struct ixa_link *l)
{
    struct ixa_reports *reports = &l->sender.reports;
    l->requests.last = 0;
    ixa_reports_drop(reports, reports->count);
    reports->lost = 0;
    if (l->config.other_campaign)
        l->config.other_campaign(l->config.user);
}

static void send_hello(struct ixa_link *l)
{
    if (l->config.may_greet && !l->config.may_greet()) {
        disconnect(l); /* stop_fd is readable */
        return;
    }
    if (ixa_keys_changed(&l->keys))
        begin_campaign(l);
    struct ix_hello hello = *l->config.hello;
    if (ixa_requests_open(&l->requests, &l->local, &hello.udp_port, NULL) != 0) {
        disconnect(l);
        return;
    }
    int64_t now = ixa_mono_ns();
    hello.last_packet = l->requests.last;
    hello.mono_ns = (uint64_t)now;
    ix_encode_hello(&l->sender.out, &hello);
    l->state = GREETED;
    l->limit = now + WELCOME_NS;
    l->heard = l->sender.spoke = now;
}

/* Continues the handshake. */
static void handshake(struct ixa_link *l)
{
    const int done = ix_wire_shake(l->wire);
    if (done > 0) {
        send_hello(l);
    } else if (done < 0 && ix_wire_fault(l->wire) == IX_TLS_KEY) {
        ixa_keys_rejected(&l->keys);
        give_up_untrusted(l, "does not accept this JVM's key, which is another campaign's");
    } else if (done < 0 && ix_wire_fault(l->wire) == IX_TLS_CERTIFICATE) {
        give_up_untrusted(l, "and this JVM do not accept each other's certificates");
    } else if (done < 0 && ix_wire_fault(l->wire) == IX_TLS_OTHER) {
        give_up_untrusted(l, "is not an Ixor server, or has another version");
    } else if (done < 0) {
        disconnect(l);
    }
}

static void flush(struct ixa_link *l)
{
    if (ixa_sender_flush(&l->sender, l->wire) < 0)
        disconnect(l);
}

static void put_report(struct ixa_link *l)
{
    ixa_sender_put_report(&l->sender, &l->requests);
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
    return l->sender.report_due;
}

static int64_t extension_due(const struct ixa_link *l)
{
    return l->extension_at;
}

static int64_t keepalive_due(const struct ixa_link *l)
{
    return ixa_sender_keepalive_due(&l->sender);
}

static int64_t linger_due(const struct ixa_link *l)
{
    return l->linger_until ? l->linger_until : IXA_NEVER;
}

static int64_t unreachable_due(const struct ixa_link *l)
{
    return l->unreachable_told ? IXA_NEVER : l->born + UNREACHABLE_NS;
}

static void ask_extension(struct ixa_link *l)
{
    l->extension_at =
        l->config.extension.send(l->config.extension.user, &l->sender.out, ixa_mono_ns());
}

static void put_keepalive(struct ixa_link *l)
{
    ix_encode_keepalive(&l->sender.out);
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
    return (t->states & IN(l->state)) && !(t->fills_out && l->sender.out.len);
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
    int64_t at = IXA_NEVER;
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
    l->sender.report_ns = l->welcome.report_ns;
    if (ix_wire_secret(l->wire, secret) != 0 ||
        ixa_requests_start(&l->requests, l->welcome.session, secret) != 0)
        return -1;
    l->state = UP;
    l->up_since = ixa_mono_ns();
    l->extension_at = l->config.extension.send ? l->up_since : IXA_NEVER;
    l->sender.report_due = l->sender.reports.count ? l->up_since : IXA_NEVER;
    ixa_keys_accepted(&l->keys);
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
    if (ppoll(fds, 3, at == IXA_NEVER && !pending ? NULL : &timeout, NULL) <= 0)
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
        ixa_sender_expect_report(&l->sender, &l->jitter);
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
    ixa_instant_name(l->config.instant, request->target_ns);
    return ixa_await(l->config.stop_fd, l->config.instant, &probes) ? IXA_REQUEST : IXA_STOP;
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
    ixa_reports_add(&l->sender.reports, taken);
    ixa_sender_expect_report(&l->sender, &l->jitter);
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

static struct ix_goodbye goodbye_of(const struct ixa_link *l, enum ix_goodbye_reason reason,
                                    const char *text)
{
    struct ix_goodbye bye = {.reason = (uint8_t)reason, .verdict = (uint8_t)l->verdict};
    const uint64_t lost = l->sender.reports.lost;
    if (lost && !*text)
        snprintf(bye.text, sizeof bye.text, "%llu packets were taken but not reported",
                 (unsigned long long)lost);
    else
        snprintf(bye.text, sizeof bye.text, "%s", text);
    return bye;
}

void ixa_link_goodbye(struct ixa_link *l, enum ix_goodbye_reason reason, const char *text,
                      int timeout_ms)
{
    const int64_t end = ixa_mono_ns() + timeout_ms * MS;
    struct ixa_sender *s = &l->sender;
    if (l->state == GREETED) /* the server has a HELLO, or gets one, and accepts the rest after
                              * it */
        s->report_due = s->reports.count ? 0 : IXA_NEVER;
    if (l->state == UP || l->state == GREETED) {
        const struct ix_goodbye bye = goodbye_of(l, reason, text);
        ixa_sender_goodbye(s, l->wire, l->tcp, &l->requests, &bye, end);
    }
    disconnect(l);
}
