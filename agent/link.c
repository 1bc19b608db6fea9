#include "agent/link.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/clock.h"
#include "agent/connect.h"
#include "agent/reports.h"
#include "agent/requests.h"

#define MS 1000000ll /* ns */
#define CONNECT_NS (3000 * MS)     /* a SYN and its first two repetitions */
#define WELCOME_NS (5000 * MS)
#define UNREACHABLE_NS (3000 * MS) /* a server that starts together with the JVMs gets this long */
#define BACKOFF_FIRST_NS (100 * MS)
#define BACKOFF_LAST_NS (5000 * MS)
#define REPORT_MAX_NS (60000 * MS) /* no server may ask for rarer reports: the JVM could be gone */
#define NEVER INT64_MAX

enum state { DOWN, CONNECTING, GREETED, UP, REFUSED };

struct ixa_link {
    struct ixa_link_config config;
    enum state state;
    struct ixa_dialer dialer;
    struct ixa_requests requests;
    struct ixa_reports reports;
    int tcp; /* -1: none */
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
    int64_t limit;             /* CONNECTING, GREETED: until when */
    int64_t up_since;
    int64_t heard, spoke;      /* last bytes from and to the server */
    int64_t report_due;        /* NEVER: nothing to report */
    uint64_t jitter;
};

struct ixa_link *ixa_link_new(const struct ixa_link_config *config, struct ix_error *err)
{
    struct ixa_link *l = calloc(1, sizeof *l);
    if (!l) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    if (ixa_reports_init(&l->reports, err) != 0) {
        free(l);
        return NULL;
    }
    l->config = *config;
    l->dialer = (struct ixa_dialer){.host = config->host, .port = config->port};
    l->requests.fd = l->tcp = -1;
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

static void greet(struct ixa_link *l)
{
    struct sockaddr_storage local;
    struct ix_hello hello = *l->config.hello;
    if (ixa_dial_result(l->tcp, &local) != 0 ||
        ixa_requests_open(&l->requests, &local, &hello.udp_port, NULL) != 0) {
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

/* Hands bytes to the kernel; what it does not take waits for POLLOUT. */
static void flush(struct ixa_link *l)
{
    if (l->out.failed) {
        disconnect(l);
        return;
    }
    while (l->sent < l->out.len) {
        ssize_t n = send(l->tcp, l->out.data + l->sent, l->out.len - l->sent,
                         MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
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
    else if ((l->state == CONNECTING || l->state == GREETED) && now >= l->limit)
        disconnect(l);
    else if (l->state == UP && now - l->heard >= IX_SILENCE_MS * MS)
        disconnect(l);
    if (l->state == UP && !l->out.len) {
        if (now >= l->report_due)
            put_report(l);
        else if (now - l->spoke >= IX_KEEPALIVE_MS * MS)
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
    else if (l->state == CONNECTING || l->state == GREETED)
        at = l->limit;
    else if (l->state == UP) {
        at = l->heard + IX_SILENCE_MS * MS;
        if (!l->out.len && l->spoke + IX_KEEPALIVE_MS * MS < at)
            at = l->spoke + IX_KEEPALIVE_MS * MS;
        if (!l->out.len && l->report_due < at)
            at = l->report_due;
    }
    if (!l->unreachable_told && l->born + UNREACHABLE_NS < at)
        at = l->born + UNREACHABLE_NS;
    return at;
}

static void receive(struct ixa_link *l)
{
    ssize_t n = recv(l->tcp, l->in + l->in_len, sizeof l->in - l->in_len, MSG_DONTWAIT);
    if (n > 0) {
        l->in_len += (size_t)n;
        l->heard = ixa_mono_ns();
    } else if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
        disconnect(l);
    }
}

/* Acts on one message. True with an event that the caller must know; a message that is out of place
 * or malformed ends the connection. */
static bool on_message(struct ixa_link *l, const struct ix_message_frame *m, enum ixa_event *event)
{
    if (m->type == IX_WELCOME && l->state == GREETED &&
        ix_decode_welcome(m->payload, m->payload_size, &l->welcome, NULL) == 0 &&
        l->welcome.session) {
        if (ixa_requests_start(&l->requests, l->welcome.session, ix_no_secret) != 0) {
            disconnect(l);
            return false;
        }
        l->state = UP;
        l->up_since = ixa_mono_ns();
        l->report_due = l->reports.count ? l->up_since : NEVER;
        l->unreachable_told = true; /* it was reached */
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
    if (m->type <= IX_GOODBYE && m->type != IX_KEEPALIVE)
        disconnect(l); /* types above are of a later version */
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

/* Waits for the target time, if that is ahead; false if told to stop meanwhile. */
static bool await_target(const struct ixa_link *l, uint64_t target)
{
    struct pollfd stop = {.fd = l->config.stop_fd, .events = POLLIN};
    int64_t left = (int64_t)(target - (uint64_t)ixa_mono_ns());
    if (!target || left > (int64_t)IX_TARGET_AHEAD_MAX_NS)
        return true;
    while (left > 0) {
        struct timespec timeout = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
        if (ppoll(&stop, 1, &timeout, NULL) > 0)
            return false;
        left = (int64_t)(target - (uint64_t)ixa_mono_ns());
    }
    return true;
}

/* Sleeps until a descriptor is ready or something is due; false if told to stop. */
static bool sleep_for_events(struct ixa_link *l, bool *tcp, bool *udp)
{
    short tcp_events = POLLIN;
    if (l->state == CONNECTING)
        tcp_events = POLLOUT;
    else if (l->sent < l->out.len)
        tcp_events |= POLLOUT;
    struct pollfd fds[3] = {
        {.fd = l->config.stop_fd, .events = POLLIN},
        {.fd = l->tcp, .events = tcp_events},
        {.fd = l->state == UP ? l->requests.fd : -1, .events = POLLIN},
    };
    int64_t at = next_time(l), now = ixa_mono_ns();
    struct timespec timeout = {0};
    if (at > now)
        timeout = (struct timespec){.tv_sec = (at - now) / 1000000000,
                                    .tv_nsec = (at - now) % 1000000000};
    if (ppoll(fds, 3, at == NEVER ? NULL : &timeout, NULL) <= 0)
        fds[0].revents = fds[1].revents = fds[2].revents = 0;
    *tcp = fds[1].revents != 0;
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
        if (!sleep_for_events(l, &tcp, &udp))
            return IXA_STOP;
        if (tcp && l->state == CONNECTING)
            greet(l);
        else if (tcp)
            receive(l);
        if (udp && l->state == UP && take_request(l, request))
            return await_target(l, request->target_ns) ? IXA_REQUEST : IXA_STOP;
    }
}

void ixa_link_taken(struct ixa_link *l, const struct ix_taken *taken)
{
    ixa_reports_add(&l->reports, taken);
    expect_report(l);
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
        if (l->out.len && (left <= 0 || poll(&out, 1, (int)(left / MS) + 1) < 0))
            break;
    }
    /* Closing with unread input would answer the server with a reset instead of the message. */
    while (l->tcp >= 0 && recv(l->tcp, l->in, sizeof l->in, MSG_DONTWAIT) > 0)
        ;
    disconnect(l);
}
