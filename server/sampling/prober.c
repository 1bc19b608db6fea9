#include "server/prober.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "schema/machine.h"
#include "server/session.h"

/* So many at most each time, so that packets need not wait for probes. */
#define AT_ONCE 20
#define AGAIN_NS 10000000ull
#define ANSWERS_AT_ONCE 256
/* How often the catalogue is told of a clock at most, and how much must have changed: a quarter of
 * the bound on the error, and a microsecond. */
#define TELL_NS 5000000000ull
#define TELL_FIRST_NS 1000000000ull
#define TELL_PART 4
#define TELL_LEAST_NS 1000

TAILQ_HEAD(queue, ixor_session);

struct ixor_prober {
    struct ixor_ledger *ledger;
    int udp;
    struct event *readable, *timer;
    char machine[IX_MACHINE_MAX + 1]; /* the server's own */
    struct ixor_session **slots;      /* NULL: free, and its number is among `spare` */
    uint32_t *spare;
    size_t room, spares;
    /* What is due comes first in each: within one all wait equally long. */
    struct queue newcomers, others;
    uint64_t ignored;
};

/* ---- sending ---- */

static void send_probe(struct ixor_prober *p, struct ixor_session *s)
{
    struct ixor_probing *mine = &s->probing;
    uint8_t bytes[IX_DATAGRAM_SIZE];
    struct ix_datagram probe = {
        .kind = IX_PROBE, .session = s->key, .number = ++mine->number, .sent_ns = ixor_mono_ns()};
    int64_t *sent_ns = &mine->sent_ns[mine->number % IXOR_PROBES_OPEN];
    *sent_ns = 0;
    if (ix_datagram_seal(s->sealer, &probe, bytes) != 0)
        return;
    *sent_ns = (int64_t)ixor_mono_ns();
    if (sendto(p->udp, bytes, sizeof bytes, MSG_DONTWAIT | MSG_NOSIGNAL,
               (const struct sockaddr *)&s->udp.sa, s->udp.len) < 0)
        *sent_ns = 0;
}

static uint64_t interval_ns(const struct ixor_prober *p)
{
    uint64_t fair = (p->room - p->spares) * (1000000000ull / IXOR_PROBE_RATE);
    return fair > IXOR_PROBE_EVERY_NS ? fair : IXOR_PROBE_EVERY_NS;
}

static struct queue *queue_of(struct ixor_prober *p, const struct ixor_session *s)
{
    return s->probing.burst ? &p->newcomers : &p->others;
}

static void probe(struct ixor_prober *p, struct ixor_session *s, uint64_t now_ns)
{
    TAILQ_REMOVE(queue_of(p, s), s, probing.links);
    send_probe(p, s);
    if (s->probing.burst)
        s->probing.burst--;
    s->probing.due_ns = now_ns + (s->probing.burst ? IXOR_PROBE_FIRST_NS : interval_ns(p));
    TAILQ_INSERT_TAIL(queue_of(p, s), s, probing.links);
}

static struct ixor_session *next_due(struct ixor_prober *p)
{
    struct ixor_session *a = TAILQ_FIRST(&p->newcomers), *b = TAILQ_FIRST(&p->others);
    return !b || (a && a->probing.due_ns <= b->probing.due_ns) ? a : b;
}

static void set_timer(struct ixor_prober *p, uint64_t now_ns, uint64_t at_ns)
{
    uint64_t wait_us = at_ns > now_ns ? (at_ns - now_ns) / 1000 + 1 : 0;
    struct timeval wait = {.tv_sec = (time_t)(wait_us / 1000000),
                           .tv_usec = (suseconds_t)(wait_us % 1000000)};
    event_add(p->timer, &wait);
}

static void timer_cb(evutil_socket_t fd, short what, void *user)
{
    struct ixor_prober *p = user;
    struct ixor_session *s;
    uint64_t now = ixor_mono_ns();
    (void)fd, (void)what;
    for (int i = 0; (s = next_due(p)); i++) {
        if (s->probing.due_ns > now || i == AT_ONCE) {
            set_timer(p, now, i == AT_ONCE ? now + AGAIN_NS : s->probing.due_ns);
            return;
        }
        probe(p, s, now);
    }
}

/* ---- what the catalogue gets ---- */

static void tell(struct ixor_prober *p, struct ixor_session *s, uint64_t now_ns)
{
    struct ixor_clock_line line = s->clock.line;
    if (s->clock.same) { /* the line is a measurement of what is known better */
        line.offset_ns = line.error_ns = 0;
        line.drift = 0;
    }
    struct ix_clock_row row = {
        .mono_ns = line.at_ns ? line.at_ns : (int64_t)s->hello->mono_ns,
        .offset_ns = line.offset_ns,
        .error_ns = line.error_ns,
        .drift_ppb = ixor_clock_drift_ppb(&s->clock),
    };
    ixor_ledger_clock(p->ledger, s->vm, &row);
    s->probing.told = line;
    s->probing.told_ns = now_ns;
}

static bool notable(const struct ixor_session *s)
{
    const struct ixor_clock_line *told = &s->probing.told, *line = &s->clock.line;
    int64_t part = told->error_ns / TELL_PART + TELL_LEAST_NS;
    if (s->clock.same)
        return false;
    return llabs(line->offset_ns - told->offset_ns) > part ||
           llabs(line->error_ns - told->error_ns) > part;
}

/* First when the burst is over, or would be; then now and then. */
static void tell_if_notable(struct ixor_prober *p, struct ixor_session *s, uint64_t now_ns)
{
    const struct ixor_probing *mine = &s->probing;
    if (!mine->told_ns) {
        if (!mine->burst || now_ns - s->began_ns > TELL_FIRST_NS)
            tell(p, s, now_ns);
    } else if (now_ns - mine->told_ns >= TELL_NS && notable(s)) {
        tell(p, s, now_ns);
    }
}

/* ---- answers ---- */

static struct ixor_session *session_of(const struct ixor_prober *p, uint64_t key)
{
    uint64_t slot = key & UINT32_MAX;
    struct ixor_session *s = slot < p->room ? p->slots[slot] : NULL;
    return s && s->key == key ? s : NULL;
}

/* False if it answers nothing. */
static bool take_answer(struct ixor_prober *p, const uint8_t *bytes, size_t size, uint64_t now_ns)
{
    struct ix_datagram d;
    struct ixor_session *s = session_of(p, ix_datagram_session(bytes, size));
    if (!s || !ix_datagram_open(s->sealer, bytes, size, &d) || d.kind != IX_ANSWER)
        return false;
    int64_t *sent_ns = &s->probing.sent_ns[d.number % IXOR_PROBES_OPEN];
    if (d.number > s->probing.number || s->probing.number - d.number >= IXOR_PROBES_OPEN ||
        !*sent_ns || d.time_ns > IXOR_CLOCK_TIME_MAX || d.sent_ns > IXOR_CLOCK_TIME_MAX)
        return false;
    struct ixor_exchange x = {*sent_ns, (int64_t)d.time_ns, (int64_t)d.sent_ns, (int64_t)now_ns};
    *sent_ns = 0;
    if (!ixor_clock_feed(&s->clock, &x))
        return false;
    tell_if_notable(p, s, now_ns);
    return true;
}

static void readable_cb(evutil_socket_t fd, short what, void *user)
{
    struct ixor_prober *p = user;
    (void)what;
    for (int i = 0; i < ANSWERS_AT_ONCE; i++) {
        uint8_t bytes[IX_DATAGRAM_SIZE + 1]; /* one more shows that it is too long */
        ssize_t size = recv(fd, bytes, sizeof bytes, 0);
        uint64_t now = ixor_mono_ns();
        if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return;
        if (size >= 0 && !take_answer(p, bytes, (size_t)size, now))
            p->ignored++;
    }
}

uint64_t ixor_prober_ignored(const struct ixor_prober *p)
{
    return p->ignored;
}

/* ---- sessions ---- */

static int make_room(struct ixor_prober *p)
{
    size_t more = p->room ? p->room * 2 : 64;
    struct ixor_session **slots = reallocarray(p->slots, more, sizeof *slots);
    if (!slots)
        return -1;
    p->slots = slots;
    uint32_t *spare = reallocarray(p->spare, more, sizeof *spare);
    if (!spare)
        return -1;
    p->spare = spare;
    for (size_t slot = more; slot-- > p->room;) {
        p->slots[slot] = NULL;
        p->spare[p->spares++] = (uint32_t)slot;
    }
    p->room = more;
    return 0;
}

int ixor_prober_enter(struct ixor_prober *p, struct ixor_session *s, struct ix_error *err)
{
    uint32_t random;
    if (!p->spares && make_room(p) != 0)
        return ix_fail(err, "the server is out of memory");
    do {
        if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
            return ix_fail(err, "the server got no random number: %s", strerror(errno));
    } while (random == 0);
    uint32_t slot = p->spare[--p->spares];
    p->slots[slot] = s;
    s->key = ((uint64_t)random << 32) | slot;
    ixor_clock_init(&s->clock, p->machine[0] && strcmp(p->machine, s->hello->machine) == 0);
    s->probing = (struct ixor_probing){
        .entered = true, .slot = slot, .burst = IXOR_PROBE_BURST, .due_ns = ixor_mono_ns()};
    TAILQ_INSERT_HEAD(&p->newcomers, s, probing.links); /* whatever stands there is due later */
    set_timer(p, 0, 0);
    return 0;
}

void ixor_prober_leave(struct ixor_prober *p, struct ixor_session *s)
{
    if (!s->probing.entered)
        return;
    if (s->vm && s->clock.known && (!s->probing.told_ns || notable(s)))
        tell(p, s, ixor_mono_ns());
    TAILQ_REMOVE(queue_of(p, s), s, probing.links);
    p->slots[s->probing.slot] = NULL;
    p->spare[p->spares++] = s->probing.slot;
    s->probing.entered = false;
}

/* ---- from start to end ---- */

static int open_socket(struct ixor_prober *p, const struct ixor_address *listen,
                       struct ix_error *err)
{
    struct ixor_address from = *listen;
    ixor_address_set_port(&from, 0);
    p->udp = socket(from.sa.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (p->udp < 0 || bind(p->udp, (struct sockaddr *)&from.sa, from.len) != 0)
        return ix_fail(err, "cannot open a UDP socket: %s", strerror(errno));
    return 0;
}

struct ixor_prober *ixor_prober_new(struct event_base *base, const struct ixor_address *listen,
                                    struct ixor_ledger *ledger, struct ix_error *err)
{
    struct ixor_prober *p = calloc(1, sizeof *p);
    if (!p) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    p->ledger = ledger;
    TAILQ_INIT(&p->newcomers);
    TAILQ_INIT(&p->others);
    ix_machine_name(p->machine);
    if (open_socket(p, listen, err) != 0) {
        ixor_prober_free(p);
        return NULL;
    }
    p->readable = event_new(base, p->udp, EV_READ | EV_PERSIST, readable_cb, p);
    p->timer = evtimer_new(base, timer_cb, p);
    if (!p->readable || !p->timer || event_add(p->readable, NULL) != 0) {
        ixor_prober_free(p);
        ix_fail(err, "out of memory");
        return NULL;
    }
    return p;
}

void ixor_prober_free(struct ixor_prober *p)
{
    if (!p)
        return;
    if (p->readable)
        event_free(p->readable);
    if (p->timer)
        event_free(p->timer);
    if (p->udp >= 0)
        close(p->udp);
    free(p->slots);
    free(p->spare);
    free(p);
}
