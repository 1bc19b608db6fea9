/* SPDX-License-Identifier: Apache-2.0 */
#include "server/sampling/ticker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "server/base/loop.h"
#include "server/sampling/udp_batch.h"

/* Kernel buffer for a packet to thousands of JVMs, if the system grants it. */
#define SEND_BUFFER (4 * 1024 * 1024)

struct ixor_ticker {
    const struct ixor_jvms *jvms;
    struct ixor_execution *const *executions;
    struct ixor_writer *writer;
    struct event *event;
    int timer, udp;
    struct ixor_udp_batch *batch;
    struct ixor_instant *instant;
    uint64_t last, sent; /* highest number used; of those, highest sent */
    struct ixor_rhythm rhythm;
    bool paused;

    /* The packet being sent: sealed for all JVMs first, so that the last gets it soon after the
     * first. */
    size_t count, room;
    uint8_t (*datagrams)[IX_DATAGRAM_SIZE];
    struct iovec *vectors;
    struct mmsghdr *messages;
};

/* Makes room for `count` datagrams; -1: out of memory. */
static int make_room(struct ixor_ticker *t, size_t count)
{
    if (count <= t->room)
        return 0;
    const size_t more = count + count / 2;
    void *datagrams = reallocarray(t->datagrams, more, sizeof *t->datagrams);
    t->datagrams = datagrams ? datagrams : t->datagrams;
    void *vectors = reallocarray(t->vectors, more, sizeof *t->vectors);
    t->vectors = vectors ? vectors : t->vectors;
    void *messages = reallocarray(t->messages, more, sizeof *t->messages);
    t->messages = messages ? messages : t->messages;
    if (!datagrams || !vectors || !messages)
        return -1;
    t->room = more;
    return 0;
}

/* The caller has made room. */
static void add_request(struct ixor_ticker *t, struct ixor_jvm *jvm, uint64_t target_ns,
                        uint64_t now_ns)
{
    const size_t i = t->count;
    const struct ix_datagram request = {
        .kind = IX_REQUEST,
        .session = jvm->key,
        .number = t->last,
        .time_ns = ixor_instant_target(jvm, t->last, target_ns),
        .sent_ns = now_ns,
    };
    if (ix_datagram_seal(jvm->sealer, &request, t->datagrams[i]) != 0)
        return; /* this request is lost, and will be counted as lost */
    t->count++;
    t->vectors[i] = (struct iovec){t->datagrams[i], IX_DATAGRAM_SIZE};
    t->messages[i].msg_hdr = (struct msghdr){
        .msg_name = &jvm->udp.sa,
        .msg_namelen = jvm->udp.len,
        .msg_iov = &t->vectors[i],
        .msg_iovlen = 1,
    };
}

/* only: NULL for all runs. */
static bool gets_packet(const struct ixor_jvm *jvm, const struct ixor_execution *only)
{
    return jvm->execution->sampling && (!only || jvm->execution == only);
}

static size_t count_sampled(const struct ixor_jvms *jvms, const struct ixor_execution *only)
{
    const struct ixor_jvm *jvm;
    size_t n = 0;
    TAILQ_FOREACH(jvm, jvms, links)
    n += gets_packet(jvm, only);
    return n;
}

static void record(struct ixor_ticker *t, struct ix_packet_row *row,
                   struct ixor_recent_packet *recent)
{
    for (struct ixor_execution *e = *t->executions; e; e = e->next) {
        if (!e->sent_now)
            continue;
        row->execution = recent->execution = e->id;
        row->vms = (int64_t)e->sent_now;
        recent->vms = e->sent_now;
        ixor_writer_packet(t->writer, row);
        ixor_instant_sent(t->instant, recent);
        e->packets++;
        e->requests += e->sent_now;
        e->sent_now = 0;
    }
}

/* Returns the number of JVMs it was sent to; 0: there are none. `asked`: a constant of
 * catalogue.sql. */
static size_t send_packet(struct ixor_ticker *t, const char *asked,
                          const struct ixor_execution *only)
{
    const size_t vms = count_sampled(t->jvms, only);
    if (vms == 0 || make_room(t, vms) != 0)
        return 0;
    const uint64_t began_ns = ixor_mono_ns();
    const uint64_t lead_ns = ixor_instant_lead(t->instant, vms, began_ns);
    const uint64_t target_ns = lead_ns ? began_ns + lead_ns : 0;
    struct ix_packet_row row = {.number = (int64_t)++t->last,
                                .sent_ns = ixor_wall_ns(),
                                .lead_ns = (int64_t)lead_ns,
                                .asked = asked};
    struct ixor_jvm *jvm;
    TAILQ_FOREACH(jvm, t->jvms, links)
    {
        if (!gets_packet(jvm, only))
            continue;
        add_request(t, jvm, target_ns, began_ns);
        ixor_writer_count_request(jvm->vm);
        jvm->unanswered++;
        jvm->asked++;
        jvm->execution->sent_now++;
    }
    t->sent = t->last;
    const uint64_t first_ns = ixor_mono_ns();
    ixor_udp_batch_send(t->batch, t->udp, t->messages,
                        t->count); /* lost requests will be counted as lost */
    t->count = 0;
    row.spread_ns = (int64_t)(ixor_mono_ns() - first_ns);
    record(t, &row,
           &(struct ixor_recent_packet){
               .number = t->last, .sent_ns = began_ns, .target_ns = target_ns});
    return vms;
}

static int set_timer(struct ixor_ticker *t)
{
    const uint64_t ns = t->rhythm.due_ns;
    const struct itimerspec due = {
        .it_value = {.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)}};
    return timerfd_settime(t->timer, TFD_TIMER_ABSTIME, &due, NULL);
}

static void tick_cb(evutil_socket_t fd, short what, void *user)
{
    struct ixor_ticker *t = user;
    uint64_t expirations;
    (void)what;
    if (read(fd, &expirations, sizeof expirations) != (ssize_t)sizeof expirations)
        return;
    const bool burst = ixor_rhythm_step(&t->rhythm, ixor_mono_ns());
    if (!t->paused)
        send_packet(t, burst ? "burst" : "clock", NULL);
    set_timer(t); /* cannot fail: the time is one that timespec can hold */
}

size_t ixor_ticker_now(struct ixor_ticker *t)
{
    return send_packet(t, "user", NULL);
}

size_t ixor_ticker_burst(struct ixor_ticker *t, const struct ixor_execution *only)
{
    return send_packet(t, "burst", only);
}

void ixor_ticker_pause(struct ixor_ticker *t, bool paused)
{
    t->paused = paused;
}

bool ixor_ticker_paused(const struct ixor_ticker *t)
{
    return t->paused;
}

/* The rhythm handles late ticks (the machine slept or the server was stopped); the wall clock plays
 * no part. */
static int open_timer(struct ixor_ticker *t, const struct ixor_rhythm_options *rhythm,
                      struct ix_error *err)
{
    ixor_rhythm_start(&t->rhythm, rhythm, ixor_mono_ns());
    t->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (t->timer < 0 || set_timer(t) != 0)
        return ix_fail(err, "cannot set a timer: %s", strerror(errno));
    return 0;
}

static int open_socket(struct ixor_ticker *t, const struct ixor_address *listen,
                       struct ix_error *err)
{
    struct ixor_address from = *listen;
    ixor_address_set_port(&from, 0);
    t->udp = socket(from.sa.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (t->udp < 0 || bind(t->udp, (struct sockaddr *)&from.sa, from.len) != 0)
        return ix_fail(err, "cannot open a UDP socket: %s", strerror(errno));
    int size = SEND_BUFFER;
    setsockopt(t->udp, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    return 0;
}

struct ixor_ticker *ixor_ticker_new(struct event_base *base,
                                    const struct ixor_ticker_options *options,
                                    const struct ixor_jvms *jvms,
                                    struct ixor_execution *const *executions,
                                    struct ixor_writer *writer, struct ix_error *err)
{
    struct ixor_ticker *t = calloc(1, sizeof *t);
    if (!t) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    t->jvms = jvms;
    t->executions = executions;
    t->writer = writer;
    t->instant = options->instant;
    t->last = t->sent = options->last;
    t->timer = t->udp = -1;
    if (open_timer(t, &options->rhythm, err) != 0 || open_socket(t, &options->listen, err) != 0) {
        ixor_ticker_free(t);
        return NULL;
    }
    t->batch = ixor_udp_batch_new(0);
    t->event = event_new(base, t->timer, EV_READ | EV_PERSIST, tick_cb, t);
    if (t->event)
        event_priority_set(t->event, IXOR_PRIORITY_TICK);
    if (!t->batch || !t->event || event_add(t->event, NULL) != 0) {
        ixor_ticker_free(t);
        ix_fail(err, "out of memory");
        return NULL;
    }
    return t;
}

void ixor_ticker_free(struct ixor_ticker *t)
{
    if (!t)
        return;
    if (t->event)
        event_free(t->event);
    ixor_udp_batch_free(t->batch);
    if (t->timer >= 0)
        close(t->timer);
    if (t->udp >= 0)
        close(t->udp);
    free(t->datagrams);
    free(t->vectors);
    free(t->messages);
    free(t);
}

uint64_t ixor_ticker_last(const struct ixor_ticker *t)
{
    return t->last;
}

uint64_t ixor_ticker_sent(const struct ixor_ticker *t)
{
    return t->sent;
}

void ixor_ticker_above(struct ixor_ticker *t, uint64_t number)
{
    if (number > t->last)
        t->last = number;
}
