#include "server/service.h"

#include <errno.h>
#include <event2/bufferevent_ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "server/door.h"
#include "server/instant.h"
#include "server/prober.h"
#include "server/rhythm_options.h"
#include "server/ticker.h"

/* How often each session is looked at for silence; and so many sessions in steps, so that thousands
 * of keepalives do not hold up a packet. With few a server wakes up seldom. */
#define CHECKS_PER_KEEPALIVE 8
#define CHECK_STEPS 16
#define STEPS_SESSIONS 64
/* So many sessions get rarer keepalives. */
#define KEEPALIVE_SESSIONS 1000
/* Reports a second, roughly, from which on agents are asked for rarer ones. */
#define REPORTS_PER_S 1000
#define REPORT_MAX_NS UINT64_C(30000000000)
/* Seconds of numbers left out after a crash: what the last server sent and could not record. */
#define CRASH_GAP_S 10
/* A larger last packet in a HELLO is nonsense: 10 Hz for 28 million years. */
#define PACKET_MAX (UINT64_C(1) << 53)
/* Warnings about peers: so many at once, and one more each second; whoever reaches the port can
 * provoke them. */
#define WARNINGS_MAX 20

struct ixor_service {
    struct event_base *base;
    struct ixor_door *door;
    struct event *checks;
    struct ixor_ledger *ledger;
    struct ixor_instant *instant;
    struct ixor_prober *prober;
    struct ixor_ticker *ticker;
    struct ixor_uploads *uploads;
    struct ixor_roster roster;
    struct ixor_execution *executions, *current;
    struct ixor_service_options options;
    struct ixor_service_events events;
    struct ix_tls *tls;
    size_t check_at; /* in the roster */

    struct ixor_index by_vm; /* live sessions */
    uint64_t hash_seed;
    uint64_t report_ns; /* the longest told */
    struct ixor_watched watched[IXOR_WATCHED];
    size_t watches; /* so far */

    uint64_t warned, unwarned; /* warnings that count against the limit; those left out */
    uint64_t warned_ns;        /* up to when the former have been forgiven, monotonic clock */
};

static bool came(void *user, evutil_socket_t fd, const struct sockaddr *peer, socklen_t len)
{
    struct ixor_service *s = user;
    return ixor_session_new(s, s->base, fd, peer, len) != NULL;
}

static void door_shut(void *user, const char *why)
{
    struct ixor_service *s = user;
    char text[320];
    snprintf(text, sizeof text, "cannot accept connections for the moment, with %zu JVMs there: %s",
             s->by_vm.count, why);
    ixor_service_warn(s, NULL, text);
}

void ixor_service_known(struct ixor_service *s)
{
    ixor_door_known(s->door);
}

/* A third of what a peer takes for silence does with thousands of sessions. */
static unsigned keepalive(const struct ixor_service *s)
{
    const unsigned least = s->options.keepalive_ms, most = s->options.silence_ms / 3;
    return s->by_vm.count < KEEPALIVE_SESSIONS || most < least ? least : most;
}

static unsigned check_steps(const struct ixor_service *s)
{
    return s->roster.count < STEPS_SESSIONS ? 1 : CHECK_STEPS;
}

static int schedule_check(struct ixor_service *s)
{
    const unsigned us = s->options.keepalive_ms * 1000 / CHECKS_PER_KEEPALIVE / check_steps(s) + 1;
    const struct timeval after = {.tv_sec = us / 1000000, .tv_usec = us % 1000000};
    return event_add(s->checks, &after);
}

static void checks_cb(evutil_socket_t fd, short what, void *user)
{
    struct ixor_service *s = user;
    (void)fd, (void)what;
    ixor_door_check(s->door);
    const uint64_t now = ixor_mono_ns();
    ixor_instant_check(s->instant, now, s->report_ns);
    if (s->check_at == 0 || s->check_at > s->roster.count)
        s->check_at = s->roster.count;
    size_t step = s->roster.count / check_steps(s) + 1;
    const unsigned keepalive_ms = keepalive(s);
    /* From the end, because a session that ends is replaced by the last one. */
    while (step-- && s->check_at)
        ixor_session_check(s->roster.at[--s->check_at], now, keepalive_ms, s->options.silence_ms);
    schedule_check(s); /* cannot fail: it was added before */
}

static int start_tls(struct ixor_service *s, struct ix_error *err)
{
    static const enum ix_key_kind kinds[] = {IX_KEY_AGENT, IX_KEY_CONTROL};
    s->tls = ix_tls_new(IX_TLS_SERVER, err);
    if (s->tls && s->options.files && ix_tls_certify(s->tls, s->options.files, NULL, err) != 0)
        return -1;
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
    const struct ixor_door_events events = {came, door_shut, s};
    s->door = ixor_door_new(s->base, &s->options.listen, &events, err);
    return s->door ? 0 : -1;
}

/* With the seed the times of the packets can be had again, when this terminal is long closed. */
static void note_rhythm(struct ixor_service *s, uint64_t last)
{
    char words[IXOR_RHYTHM_TEXT];
    const struct ix_mark mark = {
        .packet = (int64_t)last, .at_ns = ixor_wall_ns(), .text = words};
    if (ixor_rhythm_words(&s->options.rhythm, words))
        ixor_ledger_mark(s->ledger, &mark);
}

static int start_ticking(struct ixor_service *s, struct ix_error *err)
{
    int64_t last;
    if (ix_catalogue_last_packet(ixor_ledger_catalogue(s->ledger), &last, err) != 0)
        return -1;
    struct ixor_ticker_options options = {
        .rhythm = s->options.rhythm,
        .instant = s->instant,
        .last = (uint64_t)last,
        .listen = s->options.listen,
    };
    if (s->options.after_crash)
        options.last += CRASH_GAP_S * UINT64_C(1000000000) / s->options.rhythm.every_ns + 1;
    note_rhythm(s, options.last);
    s->ticker = ixor_ticker_new(s->base, &options, &s->roster, &s->executions, s->ledger, err);
    return s->ticker ? 0 : -1;
}

static int start_clocks(struct ixor_service *s, struct ix_error *err)
{
    const struct ixor_rhythm_options *r = &s->options.rhythm;
    s->instant = ixor_instant_new(s->ledger, s->options.lead_ns,
                                  r->burst > 1 ? r->burst_ns : r->every_ns - r->jitter_ns);
    if (!s->instant)
        return ix_fail(err, "out of memory");
    s->prober = ixor_prober_new(s->base, &s->options.listen, s->ledger, err);
    return s->prober ? 0 : -1;
}

static int start_checks(struct ixor_service *s, struct ix_error *err)
{
    s->checks = event_new(s->base, -1, 0, checks_cb, s);
    if (!s->checks || schedule_check(s) != 0)
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
    if (getrandom(&s->hash_seed, sizeof s->hash_seed, 0) != (ssize_t)sizeof s->hash_seed) {
        ix_fail(err, "no random numbers: %s", strerror(errno));
        free(s);
        return NULL;
    }
    s->uploads = ixor_uploads_new(base, ledger, &options->upload, err);
    if (!s->uploads || start_tls(s, err) != 0 || start_listening(s, err) != 0 ||
        start_clocks(s, err) != 0 || start_ticking(s, err) != 0 || start_checks(s, err) != 0) {
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
    for (const struct ixor_execution *e = s->executions; e; e = e->next)
        ixor_instant_end(s->instant, e->id);
    ixor_door_free(s->door);
    if (s->checks)
        event_free(s->checks);
    ixor_index_free(&s->by_vm);
    ixor_ticker_free(s->ticker);
    ix_tls_free(s->tls);
    ixor_prober_free(s->prober);
    ixor_instant_free(s->instant);
    ixor_uploads_free(s->uploads);
    while (s->executions) {
        struct ixor_execution *e = s->executions;
        s->executions = e->next;
        free(e);
    }
    free(s);
}

const struct ixor_address *ixor_service_address(const struct ixor_service *s)
{
    return ixor_door_address(s->door);
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
    ixor_instant_end(s->instant, e->id);
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

struct ixor_prober *ixor_service_prober(struct ixor_service *s)
{
    return s->prober;
}

struct ixor_instant *ixor_service_instant(struct ixor_service *s)
{
    return s->instant;
}

struct ixor_uploads *ixor_service_uploads(struct ixor_service *s)
{
    return s->uploads;
}

uint64_t ixor_service_last_packet(const struct ixor_service *s)
{
    return ixor_ticker_last(s->ticker);
}

struct ixor_index *ixor_service_by_vm(struct ixor_service *s)
{
    return &s->by_vm;
}

struct ixor_execution *ixor_service_current(struct ixor_service *s)
{
    return s->current;
}

const struct ixor_service_options *ixor_service_given(const struct ixor_service *s)
{
    return &s->options;
}

struct ixor_ticker *ixor_service_ticker(struct ixor_service *s)
{
    return s->ticker;
}

uint64_t ixor_service_report_ns(const struct ixor_service *s)
{
    const uint64_t usual = IX_REPORT_DELAY_MS * UINT64_C(1000000);
    return s->report_ns > usual ? s->report_ns : usual;
}

/* ---- packets that somebody asked for ---- */

void ixor_service_watch(struct ixor_service *s, uint64_t packet, size_t vms)
{
    s->watched[s->watches++ % IXOR_WATCHED] = (struct ixor_watched){.packet = packet, .vms = vms};
}

static struct ixor_watched *watched(const struct ixor_service *s, uint64_t packet)
{
    for (size_t i = 0; i < IXOR_WATCHED && i < s->watches; i++) {
        if (s->watched[i].packet == packet)
            return (struct ixor_watched *)&s->watched[i];
    }
    return NULL;
}

const struct ixor_watched *ixor_service_watched(const struct ixor_service *s, uint64_t packet)
{
    return watched(s, packet);
}

void ixor_service_took(struct ixor_service *s, uint64_t packet)
{
    struct ixor_watched *w = watched(s, packet);
    if (w && w->taken < w->vms) /* a report can come twice */
        w->taken++;
}

/* ---- who comes ---- */

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

static uint64_t hash_of(const struct ixor_service *service, const struct ixor_session *s)
{
    const struct ixor_hello *h = s->hello;
    const uint64_t numbers[] = {h->pid, h->started_ns, (uint64_t)s->execution->id};
    uint64_t hash = ixor_index_hash(service->hash_seed, numbers, sizeof numbers);
    hash = ixor_index_hash(hash, h->host, strlen(h->host));
    return ixor_index_hash(hash, h->log, strlen(h->log));
}

static void end_older_session(struct ixor_service *service, const struct ixor_session *s)
{
    struct ixor_index_link *link = ixor_index_first(&service->by_vm, hash_of(service, s));
    for (; link; link = ixor_index_next(link)) {
        struct ixor_session *old = ixor_index_of(link, struct ixor_session, by_vm);
        if (same_vm(old, s)) {
            ixor_session_end(old, "vanished", "connected again");
            return;
        }
    }
}

/* How late the next one to come may report. */
static uint64_t report_ns(struct ixor_service *s)
{
    uint64_t ns = s->by_vm.count * (UINT64_C(1000000000) / REPORTS_PER_S);
    if (ns <= IX_REPORT_DELAY_MS * UINT64_C(1000000))
        return 0;
    if (ns > REPORT_MAX_NS)
        ns = REPORT_MAX_NS;
    if (ns > s->report_ns)
        s->report_ns = ns;
    return ns;
}

static int check_hello(const struct ixor_hello *hello, struct ix_error *err)
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
    const struct ixor_hello *hello = s->hello;
    if (check_hello(hello, err) != 0)
        return -1;
    struct ixor_execution *e = s->execution = execution_of(service, hello->execution, err);
    if (!e)
        return -1;
    end_older_session(service, s);

    s->sealer = new_sealer(s);
    if (!s->sealer)
        return ix_fail(err, "the server is out of memory");
    if (ixor_prober_enter(service->prober, s, err) != 0)
        return -1;
    struct ix_vm vm = {
        .execution = e->id,
        .role = hello->role,
        .host = hello->host,
        .jvm = hello->jvm,
        .pid = hello->pid,
        .started_ns = (int64_t)hello->started_ns,
        .log = hello->log,
        /* A first guess, wrong by what HELLO took. */
        .clock_offset_ns =
            s->clock.same ? 0 : (int64_t)ixor_mono_ns() - (int64_t)hello->mono_ns,
    };
    if (ixor_index_add(&service->by_vm, &s->by_vm, hash_of(service, s)) != 0)
        return ix_fail(err, "the server is out of memory");
    s->vm = ixor_ledger_add_vm(service->ledger, &vm);
    if (!s->vm) {
        ixor_index_remove(&service->by_vm, &s->by_vm);
        return ix_fail(err, "the server is out of memory");
    }
    s->udp = s->peer;
    ixor_address_set_port(&s->udp, hello->udp_port);
    ixor_ticker_above(service->ticker, hello->last_packet);
    e->sessions++;
    e->vms++;
    welcome->session = s->key;
    welcome->interval_ns = service->options.rhythm.every_ns;
    welcome->report_ns = report_ns(service);
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
