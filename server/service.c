#include "server/service.h"

#include <errno.h>
#include <event2/bufferevent_ssl.h>
#include <event2/listener.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "schema/tls.h"
#include "server/ticker.h"

/* Connections that may wait for accept(2): a large cluster starts all at once. */
#define BACKLOG 4096
/* How often sessions are looked at for silence; a fraction of the keepalive interval. */
#define CHECKS_PER_KEEPALIVE 8
/* Seconds of numbers left out after a crash: what the last server sent and could not record. */
#define CRASH_GAP_S 10
/* A larger last packet in a HELLO is nonsense: 10 Hz for 28 million years. */
#define PACKET_MAX (UINT64_C(1) << 53)
/* Warnings about peers: so many at once, and one more each second; whoever reaches the port can
 * provoke them. */
#define WARNINGS_MAX 20

struct ixor_service {
    struct event_base *base;
    struct evconnlistener *listener;
    struct event *checks;
    struct ixor_ledger *ledger;
    struct ixor_ticker *ticker;
    struct ixor_roster roster;
    struct ixor_execution *executions, *current;
    struct ixor_service_options options;
    struct ixor_service_events events;
    struct ixor_address address;
    struct ix_tls *tls;
    bool accept_paused;
    uint64_t warned, unwarned; /* warnings that count against the limit; those left out */
    uint64_t warned_ns;        /* up to when the former have been forgiven, monotonic clock */
};

static void accept_cb(struct evconnlistener *listener, evutil_socket_t fd, struct sockaddr *peer,
                      int peer_len, void *user)
{
    struct ixor_service *s = user;
    (void)listener;
    ixor_session_new(s, s->base, fd, peer, (socklen_t)peer_len);
}

/* Most likely there are no descriptors left; accepting goes on at the next check. */
static void accept_error_cb(struct evconnlistener *listener, void *user)
{
    struct ixor_service *s = user;
    char text[128];
    snprintf(text, sizeof text, "cannot accept connections for a moment: %s",
             evutil_socket_error_to_string(EVUTIL_SOCKET_ERROR()));
    evconnlistener_disable(listener);
    s->accept_paused = true;
    ixor_service_warn(s, NULL, text);
}

static void checks_cb(evutil_socket_t fd, short what, void *user)
{
    struct ixor_service *s = user;
    (void)fd, (void)what;
    if (s->accept_paused && evconnlistener_enable(s->listener) == 0)
        s->accept_paused = false;
    uint64_t now = ixor_mono_ns();
    /* From the end, because a session that ends is replaced by the last one. */
    for (size_t i = s->roster.count; i-- > 0;)
        ixor_session_check(s->roster.at[i], now, s->options.keepalive_ms, s->options.silence_ms);
}

static int start_tls(struct ixor_service *s, struct ix_error *err)
{
    static const enum ix_key_kind kinds[] = {IX_KEY_AGENT, IX_KEY_CONTROL};
    s->tls = ix_tls_new(IX_TLS_SERVER, err);
    for (size_t i = 0; s->tls && i < sizeof kinds / sizeof *kinds; i++) {
        struct ix_key key;
        if (ix_key_derive(&s->options.key, kinds[i], &key, err) != 0)
            return -1;
        ix_tls_set_key(s->tls, kinds[i], &key);
    }
    return s->tls ? 0 : -1;
}

static int start_listening(struct ixor_service *s, struct ix_error *err)
{
    char text[IXOR_ADDRESS_TEXT];
    ixor_address_text(&s->options.listen, text);
    s->listener = evconnlistener_new_bind(
        s->base, accept_cb, s,
        LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC | LEV_OPT_REUSEABLE, BACKLOG,
        (const struct sockaddr *)&s->options.listen.sa, (int)s->options.listen.len);
    if (!s->listener && errno == EADDRINUSE)
        return ix_fail(err, "another program listens on %s already; choose another port with "
                            "--listen", text);
    if (!s->listener)
        return ix_fail(err, "cannot listen on %s: %s", text, strerror(errno));
    evconnlistener_set_error_cb(s->listener, accept_error_cb);
    s->address.len = sizeof s->address.sa;
    if (getsockname(evconnlistener_get_fd(s->listener), (struct sockaddr *)&s->address.sa,
                    &s->address.len) != 0)
        return ix_fail(err, "getsockname: %s", strerror(errno));
    return 0;
}

static int start_ticking(struct ixor_service *s, struct ix_error *err)
{
    int64_t last;
    if (ix_catalogue_last_packet(ixor_ledger_catalogue(s->ledger), &last, err) != 0)
        return -1;
    struct ixor_ticker_options options = {
        .every_ns = s->options.every_ns,
        .lead_ns = s->options.lead_ns,
        .last = (uint64_t)last,
        .listen = s->options.listen,
    };
    if (s->options.after_crash)
        options.last += CRASH_GAP_S * UINT64_C(1000000000) / s->options.every_ns + 1;
    s->ticker = ixor_ticker_new(s->base, &options, &s->roster, &s->executions, s->ledger, err);
    return s->ticker ? 0 : -1;
}

static int start_checks(struct ixor_service *s, struct ix_error *err)
{
    unsigned ms = s->options.keepalive_ms / CHECKS_PER_KEEPALIVE;
    struct timeval every = {.tv_sec = ms / 1000, .tv_usec = (ms % 1000) * 1000};
    s->checks = event_new(s->base, -1, EV_PERSIST, checks_cb, s);
    if (!s->checks || event_add(s->checks, &every) != 0)
        return ix_fail(err, "out of memory");
    return 0;
}

struct ixor_service *ixor_service_new(struct event_base *base, struct ixor_ledger *ledger,
                                      const struct ixor_service_options *options,
                                      const struct ixor_service_events *events,
                                      struct ix_error *err)
{
    struct ixor_service *s = calloc(1, sizeof *s);
    if (!s) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    s->base = base;
    s->ledger = ledger;
    s->options = *options;
    s->events = *events;
    if (!s->options.keepalive_ms)
        s->options.keepalive_ms = IX_KEEPALIVE_MS;
    if (!s->options.silence_ms)
        s->options.silence_ms = IX_SILENCE_MS;
    s->warned_ns = ixor_mono_ns();
    if (start_tls(s, err) != 0 || start_listening(s, err) != 0 || start_ticking(s, err) != 0 || start_checks(s, err) != 0) {
        ixor_service_free(s);
        return NULL;
    }
    return s;
}

void ixor_service_free(struct ixor_service *s)
{
    if (!s)
        return;
    while (s->roster.count)
        ixor_session_end(s->roster.at[s->roster.count - 1], "server-stopped", NULL);
    free(s->roster.at);
    if (s->listener)
        evconnlistener_free(s->listener);
    if (s->checks)
        event_free(s->checks);
    ixor_ticker_free(s->ticker);
    ix_tls_free(s->tls);
    while (s->executions) {
        struct ixor_execution *e = s->executions;
        s->executions = e->next;
        free(e);
    }
    free(s);
}

const struct ixor_address *ixor_service_address(const struct ixor_service *s)
{
    return &s->address;
}

/* ---- executions ---- */

static struct ixor_execution *known(struct ixor_service *s, const char *name)
{
    for (struct ixor_execution *e = s->executions; e; e = e->next) {
        if (strcmp(e->name, name) == 0)
            return e;
    }
    return NULL;
}

static struct ixor_execution *open_execution(struct ixor_service *s, const char *name,
                                             const char *command, int64_t begin_ns,
                                             struct ix_error *err)
{
    struct ix_catalogue *c = ixor_ledger_catalogue(s->ledger);
    if (!name[0] || strlen(name) > IX_NAME_MAX) {
        ix_fail(err, "an execution's name has 1 to %u bytes", IX_NAME_MAX);
        return NULL;
    }
    struct ixor_execution *e = calloc(1, sizeof *e);
    if (!e) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    int found = ix_catalogue_find_execution(c, name, &e->id, err);
    if (found < 0 ||
        (found == 0 && ix_catalogue_add_execution(c, name, command, begin_ns, &e->id, err) != 0)) {
        free(e);
        return NULL;
    }
    snprintf(e->name, sizeof e->name, "%s", name);
    e->open = e->sampling = true;
    e->next = s->executions;
    s->executions = e;
    return e;
}

struct ixor_execution *ixor_service_open(struct ixor_service *s, const char *name,
                                         const char *command, int64_t begin_ns,
                                         struct ix_error *err)
{
    struct ixor_execution *e = known(s, name);
    if (!e)
        e = open_execution(s, name, command, begin_ns, err);
    if (e)
        s->current = e;
    return e;
}

void ixor_service_close(struct ixor_service *s, struct ixor_execution *e, const char *why)
{
    e->open = e->sampling = false;
    if (s->current == e)
        s->current = NULL;
    for (size_t i = s->roster.count; i-- > 0;) {
        struct ixor_session *session = s->roster.at[i];
        if (session->state == IXOR_SESSION_LIVE && session->execution == e)
            ixor_session_end(session, "server-stopped", why);
    }
}

struct ixor_execution *ixor_service_executions(struct ixor_service *s)
{
    return s->executions;
}

/* ---- sessions ---- */

struct ixor_roster *ixor_service_roster(struct ixor_service *s)
{
    return &s->roster;
}

struct ixor_ledger *ixor_service_ledger(struct ixor_service *s)
{
    return s->ledger;
}

struct ix_tls *ixor_service_tls(struct ixor_service *s)
{
    return s->tls;
}

uint64_t ixor_service_last_packet(const struct ixor_service *s)
{
    return ixor_ticker_last(s->ticker);
}

struct seeking {
    int64_t id;
    bool by_run;
};

static int is_by_run(void *user, const struct ix_execution *e)
{
    struct seeking *seeking = user;
    if (e->id == seeking->id)
        seeking->by_run = e->command != NULL;
    return 0;
}

/* An execution of `ixor run` ends with its command; a JVM that still names it is a straggler. One
 * that was only served can go on, whichever server had it before. */
static int may_reopen(struct ixor_service *s, const char *name, struct ix_error *err)
{
    struct ix_catalogue *c = ixor_ledger_catalogue(s->ledger);
    struct seeking seeking = {0};
    int found = ix_catalogue_find_execution(c, name, &seeking.id, err);
    if (found <= 0)
        return found;
    if (ix_catalogue_executions(c, is_by_run, &seeking, err) != 0)
        return -1;
    return seeking.by_run ? ix_fail(err, "execution '%s' has ended", name) : 0;
}

static struct ixor_execution *execution_of(struct ixor_service *s, const char *name,
                                           struct ix_error *err)
{
    struct ixor_execution *e = name[0] ? known(s, name) : s->current;
    if (e && e->open)
        return e;
    if (e)
        ix_fail(err, "execution '%s' has ended", name);
    else if (!name[0])
        ix_fail(err, "no execution is running");
    else if (!s->options.on_demand)
        ix_fail(err, "execution '%s' is not running", name);
    else if (may_reopen(s, name, err) == 0)
        return open_execution(s, name, NULL, ixor_wall_ns(), err);
    return NULL;
}

static bool same_vm(const struct ixor_session *a, const struct ixor_session *b)
{
    return a->hello->pid == b->hello->pid && a->hello->started_ns == b->hello->started_ns &&
           a->execution == b->execution && strcmp(a->hello->host, b->hello->host) == 0 &&
           strcmp(a->hello->log, b->hello->log) == 0;
}

static void end_older_session(struct ixor_service *service, const struct ixor_session *s)
{
    for (size_t i = 0; i < service->roster.count; i++) {
        struct ixor_session *old = service->roster.at[i];
        if (old != s && old->state == IXOR_SESSION_LIVE && same_vm(old, s)) {
            ixor_session_end(old, "vanished", "connected again");
            return;
        }
    }
}

static int new_key(uint64_t *key, struct ix_error *err)
{
    do {
        if (getrandom(key, sizeof *key, 0) != (ssize_t)sizeof *key)
            return ix_fail(err, "the server got no random number: %s", strerror(errno));
    } while (*key == 0);
    return 0;
}

static int check_hello(const struct ix_hello *hello, struct ix_error *err)
{
    if (hello->last_packet > PACKET_MAX)
        return ix_fail(err, "HELLO with a packet number that nobody can have come to");
    if (hello->log[0] != '/')
        return ix_fail(err, "HELLO without the absolute path of a trace log");
    return 0;
}

/* Under the secret that both sides take out of their connection. */
static struct ix_sealer *new_sealer(struct ixor_session *s)
{
    uint8_t secret[IX_SECRET_SIZE];
    if (ix_tls_secret(bufferevent_openssl_get_ssl(s->bev), secret) != 0)
        return NULL;
    return ix_sealer_new(secret);
}

int ixor_service_admit(struct ixor_service *service, struct ixor_session *s,
                       struct ix_welcome *welcome, struct ix_error *err)
{
    const struct ix_hello *hello = s->hello;
    if (check_hello(hello, err) != 0 || new_key(&s->key, err) != 0)
        return -1;
    struct ixor_execution *e = s->execution = execution_of(service, hello->execution, err);
    if (!e)
        return -1;
    end_older_session(service, s);

    struct ix_vm vm = {
        .execution = e->id,
        .role = hello->role,
        .host = hello->host,
        .jvm = hello->jvm,
        .pid = hello->pid,
        .started_ns = (int64_t)hello->started_ns,
        .log = hello->log,
        .clock_offset_ns =
            s->same_host ? 0 : (int64_t)ixor_mono_ns() - (int64_t)hello->mono_ns,
    };
    s->sealer = new_sealer(s);
    s->vm = s->sealer ? ixor_ledger_add_vm(service->ledger, &vm) : NULL;
    if (!s->vm)
        return ix_fail(err, "the server is out of memory");
    s->udp = s->peer;
    ixor_address_set_port(&s->udp, hello->udp_port);
    ixor_ticker_above(service->ticker, hello->last_packet);
    e->sessions++;
    e->vms++;
    welcome->session = s->key;
    welcome->interval_ns = service->options.every_ns;
    memcpy(welcome->execution, e->name, sizeof welcome->execution);
    if (service->events.joined)
        service->events.joined(service->events.user, e, hello);
    return 0;
}

void ixor_service_departed(struct ixor_service *service, const struct ixor_departure *d)
{
    if (service->events.left)
        service->events.left(service->events.user, d);
}

/* Whether there is room for one more warning now. */
static bool may_warn(struct ixor_service *s)
{
    const uint64_t second = 1000000000, now = ixor_mono_ns();
    const uint64_t forgiven = (now - s->warned_ns) / second;
    s->warned_ns += forgiven * second;
    s->warned -= forgiven < s->warned ? forgiven : s->warned;
    const bool may = s->warned < WARNINGS_MAX;
    s->warned += may;
    s->unwarned += !may;
    return may;
}

void ixor_service_warn(struct ixor_service *service, const struct ixor_address *peer,
                       const char *text)
{
    char where[IXOR_ADDRESS_TEXT], clean[512], whole[704], before[64] = "";
    if (!service->events.warned || (peer && !may_warn(service)))
        return;
    ixor_safe_text(text, clean, sizeof clean);
    if (peer) {
        if (service->unwarned)
            snprintf(before, sizeof before, " (after %llu like it)",
                     (unsigned long long)service->unwarned);
        service->unwarned = 0;
        ixor_address_text(peer, where);
        snprintf(whole, sizeof whole, "connection from %s: %s%s", where, clean, before);
    }
    service->events.warned(service->events.user, peer ? whole : clean);
}
