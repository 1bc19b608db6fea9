#include "agent/link.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/await.h"
#include "agent/clock.h"
#include "agent/connect.h"
#include "agent/reports.h"
#include "agent/requests.h"
#include "schema/keyplace.h"
#include "schema/wire.h"

#define MS 1000000ll /* ns */
#define CONNECT_NS (3000 * MS)     /* a SYN and its first two repetitions */
#define SECURE_NS (5000 * MS)
#define WELCOME_NS (5000 * MS)
#define DISTRUST_NS (1000 * MS)    /* a server that just starts is about to leave its key */
#define UNREACHABLE_NS (3000 * MS) /* a server that starts together with the JVMs gets this long */
#define BACKOFF_FIRST_NS (100 * MS)
#define BACKOFF_LAST_NS (5000 * MS)
#define REPORT_MAX_NS (60000 * MS) /* no server may ask for rarer reports: the JVM could be gone */
#define NEVER INT64_MAX

enum state { DOWN, CONNECTING, SECURING, GREETED, UP, REFUSED };

struct ixa_link {
    struct ixa_link_config config;
    enum state state;
    struct ixa_dialer dialer;
    struct ixa_requests requests;
    struct ixa_reports reports;
    int tcp; /* -1: none */
    struct sockaddr_storage local; /* its own end */
    struct ix_tls *tls;
    struct ix_wire *wire; /* over tcp; NULL before SECURING */
    bool other_key;       /* the given key was not accepted: the other one's turn */
    bool distrust_told, distrust_due;
    int64_t distrust_since; /* 0: not since the last session */
    const char *distrust;
    struct ix_out out; /* frames on their way; `sent` of their bytes are gone */
    size_t sent;
    size_t reporting; /* reports that `out` carries */
    uint8_t in[IX_MESSAGE_PREFIX + IX_MESSAGE_MAX];
    size_t in_len;
    struct ix_report report; /* here because it is too large for a stack */
    struct ix_welcome welcome;
    struct ix_refuse refuse;
    int64_t born;
    bool unreachable_told;
    int64_t retry_at, backoff; /* state DOWN */
    int64_t limit;             /* CONNECTING, SECURING, GREETED: until when */
    int64_t up_since;
    int64_t heard, spoke;      /* last bytes from and to the server */
    int64_t report_due;        /* NEVER: nothing to report */
    int64_t passenger_at;      /* when to ask the passenger again */
    int64_t linger_until;      /* 0: it works as usual */
    uint64_t jitter;
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
    l->jitter = (uint64_t)ixa_real_ns() ^ ((uint64_t)config->hello->pid << 32);
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

const char *ixa_link_execution(const struct ixa_link *l)
{
    return l->welcome.execution;
}

const char *ixa_link_refusal(const struct ixa_link *l)
{
    return l->refuse.reason;
}

const char *ixa_link_distrust(const struct ixa_link *l)
{
    return l->distrust;
}

/* Three quarters to five quarters of it, so that a thousand agents do not come back at once. */
static int64_t jittered(struct ixa_link *l, int64_t ns)
{
    l->jitter = l->jitter * 6364136223846793005u + 1442695040888963407u; /* Knuth, MMIX */
    return ns / 4 * 3 + (int64_t)((l->jitter >> 33) % (uint64_t)(ns / 2));
}

/* Gives the connection up. Reports that were not sent to the end go out again in the next one. */
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
    /* A name can have several addresses: the next one is tried without a pause. */
    l->retry_at = l->dialer.next ? now : now + jittered(l, l->backoff);
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

/* Gives up for now; what the matter is, is told when it has been so for a while. */
static void distrust(struct ixa_link *l, const char *why)
{
    const int64_t now = ixa_mono_ns();
    if (!l->distrust_since)
        l->distrust_since = now;
    if (!l->distrust_told && now - l->distrust_since >= DISTRUST_NS) {
        l->distrust_told = l->distrust_due = l->unreachable_told = true;
        l->distrust = why;
    }
    disconnect(l);
}

/* The key for the next handshake: the given one, or that of a server on this host, which can be
 * another one each time that it starts. */
static bool choose_key(struct ixa_link *l)
{
    struct ix_key key;
    const struct ix_key *given = l->config.key;
    const bool there = (!given || l->other_key) && ix_keyplace_find(l->config.port, &key);
    if (!there && !given)
        return false;
    ix_tls_set_key(l->tls, IX_KEY_AGENT, there ? &key : given);
    return true;
}

static void secure(struct ixa_link *l)
{
    if (ixa_dial_result(l->tcp, &l->local) != 0) {
        disconnect(l);
        return;
    }
    if (!choose_key(l)) {
        distrust(l, "is there, but this JVM has no key for it: give it the campaign's agent.key "
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

static void greet(struct ixa_link *l)
{
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

/* Goes on with the handshake. */
static void shake(struct ixa_link *l)
{
    const int done = ix_wire_shake(l->wire);
    if (done > 0) {
        greet(l);
    } else if (done < 0 && ix_wire_fault(l->wire) == IX_TLS_KEY) {
        l->other_key = !l->other_key;
        distrust(l, "does not accept this JVM's key, which is another campaign's");
    } else if (done < 0 && ix_wire_fault(l->wire) == IX_TLS_CERTIFICATE) {
        distrust(l, "and this JVM do not accept each other's certificates");
    } else if (done < 0 && ix_wire_fault(l->wire) == IX_TLS_OTHER) {
        distrust(l, "is not Ixor's, or one of another version");
    } else if (done < 0) {
        disconnect(l);
    }
}

/* Hands bytes to the kernel; what it does not take waits for POLLOUT. */
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

/* Puts a report into `out`, which is empty: one at a time is under way. */
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

/* A server that wants reports rarely has thousands of sessions, and wants rare keepalives, too. */
static int64_t keepalive_ns(const struct ixa_link *l)
{
    return l->welcome.report_ns > IX_KEEPALIVE_RARE_MS * MS ? IX_KEEPALIVE_RARE_MS * MS
                                                            : IX_KEEPALIVE_MS * MS;
}

/* How long the next report may wait; some of it is left for the sending itself. A server with
 * thousands of sessions wants rare reports, and not all at the same time. */
static int64_t report_delay(struct ixa_link *l)
{
    const uint64_t asked = l->welcome.report_ns;
    if (!asked)
        return IX_REPORT_DELAY_MS * MS / 5 * 4;
    return jittered(l, (asked < REPORT_MAX_NS ? (int64_t)asked : REPORT_MAX_NS) / 5 * 3);
}

/* There is something to report on. */
static void expect_report(struct ixa_link *l)
{
    if (l->reports.count >= IX_REPORT_MAX / 2)
        l->report_due = ixa_mono_ns();
    else if (l->report_due == NEVER)
        l->report_due = ixa_mono_ns() + report_delay(l);
}

/* What is due by the clock in the state that the link is in. */
static void on_time(struct ixa_link *l, int64_t now)
{
    if (l->state == DOWN && now >= l->retry_at)
        dial(l);
    else if (l->state == SECURING)
        shake(l);
    if ((l->state == CONNECTING || l->state == SECURING || l->state == GREETED) &&
        now >= l->limit)
        disconnect(l);
    else if (l->state == UP && now - l->heard >= IX_SILENCE_MS * MS)
        disconnect(l);
    if (l->state == UP && !l->out.len) {
        if (now >= l->report_due)
            put_report(l);
        else if (now >= l->passenger_at)
            l->passenger_at = l->config.passenger.send(l->config.passenger.user, &l->out, now);
        if (!l->out.len && now - l->spoke >= keepalive_ns(l))
            ix_encode_keepalive(&l->out);
    }
    if (l->state == UP || l->state == GREETED)
        flush(l);
}

/* The next moment at which on_time has something to do. */
static int64_t next_time(const struct ixa_link *l)
{
    int64_t at = NEVER;
    if (l->state == DOWN)
        at = l->retry_at;
    else if (l->state == CONNECTING || l->state == SECURING || l->state == GREETED)
        at = l->limit;
    else if (l->state == UP) {
        at = l->heard + IX_SILENCE_MS * MS;
        if (!l->out.len && l->spoke + keepalive_ns(l) < at)
            at = l->spoke + keepalive_ns(l);
        if (!l->out.len && l->report_due < at)
            at = l->report_due;
        if (!l->out.len && l->passenger_at < at)
            at = l->passenger_at;
        if (l->linger_until && l->linger_until < at)
            at = l->linger_until;
    }
    if (!l->unreachable_told && l->born + UNREACHABLE_NS < at)
        at = l->born + UNREACHABLE_NS;
    return at;
}

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

/* The session that WELCOME has begun. */
static int begin_session(struct ixa_link *l)
{
    uint8_t secret[IX_SECRET_SIZE];
    if (ix_wire_secret(l->wire, secret) != 0 ||
        ixa_requests_start(&l->requests, l->welcome.session, secret) != 0)
        return -1;
    l->state = UP;
    l->up_since = ixa_mono_ns();
    l->passenger_at = l->config.passenger.send ? l->up_since : NEVER;
    l->report_due = l->reports.count ? l->up_since : NEVER;
    l->unreachable_told = true; /* it was reached */
    l->distrust_since = 0;
    return 0;
}

/* Acts on one message. True with an event that the caller must know; a message that is out of place
 * or malformed ends the connection. */
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
    } else if (l->config.passenger.receive && l->state == UP) { /* else of a later version */
        if (l->config.passenger.receive(l->config.passenger.user, m) == 0)
            l->passenger_at = 0;
        else
            disconnect(l);
    }
    return false;
}

/* Takes whole messages out of the input buffer until one of them is an event. */
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
        at = l->in_len; /* the connection was given up meanwhile */
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

/* Everything that came for this session's UDP port; true with a request to take. */
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

/* The server's questions for the clock are answered meanwhile: with short intervals and long leads
 * there is hardly a moment in which none is awaited. */
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
        if (!l->unreachable_told && now - l->born >= UNREACHABLE_NS) {
            l->unreachable_told = true;
            return IXA_UNREACHABLE;
        }
        if (l->distrust_due) {
            l->distrust_due = false;
            return IXA_UNTRUSTED;
        }
        if (!sleep_for_events(l, &tcp, &udp))
            return IXA_STOP;
        if (tcp && l->state == CONNECTING)
            secure(l); /* on_time shakes */
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
    l->passenger_at = 0;
    while (l->state == UP && !done(l->config.passenger.user)) {
        const int64_t now = ixa_mono_ns();
        if (now >= until_ns)
            break;
        on_time(l, now);
        take_messages(l, &event); /* a session that is up has no events */
        if (l->state != UP || done(l->config.passenger.user))
            break;
        sleep_for_events(l, &tcp, &udp);
        if (tcp)
            receive(l);
    }
    l->linger_until = 0;
}

void ixa_link_goodbye(struct ixa_link *l, enum ix_goodbye_reason reason, const char *text,
                      int timeout_ms)
{
    const int64_t end = ixa_mono_ns() + timeout_ms * MS;
    bool said = false;
    while (l->state == UP && !(said && !l->out.len)) {
        if (!l->out.len && l->report_due != NEVER) {
            put_report(l);
        } else if (!l->out.len) {
            struct ix_goodbye bye = {.reason = (uint8_t)reason};
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
        if (l->state == UP && l->out.len && (left <= 0 || poll(&out, 1, (int)(left / MS) + 1) < 0))
            break;
    }
    if (said && l->wire)
        ix_wire_end(l->wire);
    /* Closing with unread input would answer the server with a reset instead of the message. */
    while (l->tcp >= 0 && recv(l->tcp, l->in, sizeof l->in, MSG_DONTWAIT) > 0)
        ;
    disconnect(l);
}
