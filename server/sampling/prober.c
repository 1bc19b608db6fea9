/* SPDX-License-Identifier: Apache-2.0 */
#include "server/sampling/prober.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "schema/protocol/machine.h"

/* At most this many at a time, so that packets need not wait for probes. */
#define AT_ONCE 20
#define AGAIN_NS 10000000ull
#define ANSWERS_AT_ONCE 256
/* How often a clock is written to the catalogue at most, and by how much it must have changed: a
 * quarter of the bound on the error, and a microsecond. */
#define TELL_NS 5000000000ull
#define TELL_FIRST_NS 1000000000ull
#define TELL_PART 4
#define TELL_LEAST_NS 1000

TAILQ_HEAD(queue, ixor_jvm);

struct ixor_prober {
    struct ixor_writer *writer;
    int udp;
    struct event *readable, *timer;
    char machine[IX_MACHINE_MAX + 1]; /* the server's own */
    struct ixor_jvm **slots;          /* NULL: free, and its number is among `spare` */
    uint32_t *spare;
    size_t room, spares;
    /* Sorted by due time: within one queue all wait equally long. */
    struct queue newcomers, others;
    uint64_t ignored;
};

/* ---- sending ---- */

static void send_probe(struct ixor_prober *p, struct ixor_jvm *jvm)
{
    struct ixor_probing *mine = &jvm->probing;
    uint8_t bytes[IX_DATAGRAM_SIZE];
    struct ix_datagram probe = {
        .kind = IX_PROBE, .session = jvm->key, .number = ++mine->number, .sent_ns = ixor_mono_ns()};
    int64_t *sent_ns = &mine->sent_ns[mine->number % IXOR_PROBES_OPEN];
    *sent_ns = 0;
    if (ix_datagram_seal(jvm->sealer, &probe, bytes) != 0)
        return;
    *sent_ns = (int64_t)ixor_mono_ns();
    if (sendto(p->udp, bytes, sizeof bytes, MSG_DONTWAIT | MSG_NOSIGNAL,
               (const struct sockaddr *)&jvm->udp.sa, jvm->udp.len) < 0)
        *sent_ns = 0;
}

static uint64_t interval_ns(const struct ixor_prober *p)
{
    uint64_t fair = (p->room - p->spares) * (1000000000ull / IXOR_PROBE_RATE);
    return fair > IXOR_PROBE_EVERY_NS ? fair : IXOR_PROBE_EVERY_NS;
}

static struct queue *queue_of(struct ixor_prober *p, const struct ixor_jvm *jvm)
{
    return jvm->probing.burst ? &p->newcomers : &p->others;
}

static void probe(struct ixor_prober *p, struct ixor_jvm *jvm, uint64_t now_ns)
{
    TAILQ_REMOVE(queue_of(p, jvm), jvm, probing.links);
    send_probe(p, jvm);
    if (jvm->probing.burst)
        jvm->probing.burst--;
    jvm->probing.due_ns = now_ns + (jvm->probing.burst ? IXOR_PROBE_FIRST_NS : interval_ns(p));
    TAILQ_INSERT_TAIL(queue_of(p, jvm), jvm, probing.links);
}

static struct ixor_jvm *next_due(struct ixor_prober *p)
{
    struct ixor_jvm *a = TAILQ_FIRST(&p->newcomers), *b = TAILQ_FIRST(&p->others);
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
    struct ixor_jvm *jvm;
    uint64_t now = ixor_mono_ns();
    (void)fd, (void)what;
    for (int i = 0; (jvm = next_due(p)); i++) {
        if (jvm->probing.due_ns > now || i == AT_ONCE) {
            set_timer(p, now, i == AT_ONCE ? now + AGAIN_NS : jvm->probing.due_ns);
            return;
        }
        probe(p, jvm, now);
    }
}

/* ---- what the catalogue gets ---- */

static void write_clock(struct ixor_prober *p, struct ixor_jvm *jvm, uint64_t now_ns)
{
    struct ixor_clock_line line = jvm->clock.line;
    if (jvm->clock.same) { /* for a shared clock the line would only be a worse measurement */
        line.offset_ns = line.error_ns = 0;
        line.drift = 0;
    }
    struct ix_clock_row row = {
        .mono_ns = line.at_ns ? line.at_ns : (int64_t)jvm->hello->mono_ns,
        .offset_ns = line.offset_ns,
        .error_ns = line.error_ns,
        .drift_ppb = ixor_clock_drift_ppb(&jvm->clock),
    };
    ixor_writer_clock(p->writer, jvm->vm, &row);
    jvm->probing.told = line;
    jvm->probing.told_ns = now_ns;
}

static bool has_changed(const struct ixor_jvm *jvm)
{
    const struct ixor_clock_line *told = &jvm->probing.told, *line = &jvm->clock.line;
    int64_t part = told->error_ns / TELL_PART + TELL_LEAST_NS;
    if (jvm->clock.same)
        return false;
    return llabs(line->offset_ns - told->offset_ns) > part ||
           llabs(line->error_ns - told->error_ns) > part;
}

/* First when the burst is over, or would be; then occasionally. */
static void write_clock_if_changed(struct ixor_prober *p, struct ixor_jvm *jvm, uint64_t now_ns)
{
    const struct ixor_probing *mine = &jvm->probing;
    if (!mine->told_ns) {
        if (!mine->burst || now_ns - jvm->began_ns > TELL_FIRST_NS)
            write_clock(p, jvm, now_ns);
    } else if (now_ns - mine->told_ns >= TELL_NS && has_changed(jvm)) {
        write_clock(p, jvm, now_ns);
    }
}

/* ---- answers ---- */

static struct ixor_jvm *session_of(const struct ixor_prober *p, uint64_t key)
{
    uint64_t slot = key & UINT32_MAX;
    struct ixor_jvm *jvm = slot < p->room ? p->slots[slot] : NULL;
    return jvm && jvm->key == key ? jvm : NULL;
}

/* False if it answers nothing. */
static bool take_answer(struct ixor_prober *p, const uint8_t *bytes, size_t size, uint64_t now_ns)
{
    struct ix_datagram d;
    struct ixor_jvm *jvm = session_of(p, ix_datagram_session(bytes, size));
    if (!jvm || !ix_datagram_open(jvm->sealer, bytes, size, &d) || d.kind != IX_ANSWER)
        return false;
    int64_t *sent_ns = &jvm->probing.sent_ns[d.number % IXOR_PROBES_OPEN];
    if (d.number > jvm->probing.number || jvm->probing.number - d.number >= IXOR_PROBES_OPEN ||
        !*sent_ns || d.time_ns > IXOR_CLOCK_TIME_MAX || d.sent_ns > IXOR_CLOCK_TIME_MAX)
        return false;
    struct ixor_exchange x = {*sent_ns, (int64_t)d.time_ns, (int64_t)d.sent_ns, (int64_t)now_ns};
    *sent_ns = 0;
    if (!ixor_clock_feed(&jvm->clock, &x))
        return false;
    write_clock_if_changed(p, jvm, now_ns);
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
    struct ixor_jvm **slots = reallocarray(p->slots, more, sizeof *slots);
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

int ixor_prober_enter(struct ixor_prober *p, struct ixor_jvm *jvm, struct ix_error *err)
{
    uint32_t random;
    if (!p->spares && make_room(p) != 0)
        return ix_fail(err, "the server is out of memory");
    do {
        if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
            return ix_fail(err, "the server got no random number: %s", strerror(errno));
    } while (random == 0);
    uint32_t slot = p->spare[--p->spares];
    p->slots[slot] = jvm;
    jvm->key = ((uint64_t)random << 32) | slot;
    ixor_clock_init(&jvm->clock, p->machine[0] && strcmp(p->machine, jvm->hello->machine) == 0);
    jvm->probing = (struct ixor_probing){
        .entered = true, .slot = slot, .burst = IXOR_PROBE_BURST, .due_ns = ixor_mono_ns()};
    TAILQ_INSERT_HEAD(&p->newcomers, jvm, probing.links); /* all others in it are due later */
    set_timer(p, 0, 0);
    return 0;
}

void ixor_prober_leave(struct ixor_prober *p, struct ixor_jvm *jvm)
{
    if (!jvm->probing.entered)
        return;
    if (jvm->vm && jvm->clock.known && (!jvm->probing.told_ns || has_changed(jvm)))
        write_clock(p, jvm, ixor_mono_ns());
    TAILQ_REMOVE(queue_of(p, jvm), jvm, probing.links);
    p->slots[jvm->probing.slot] = NULL;
    p->spare[p->spares++] = jvm->probing.slot;
    jvm->probing.entered = false;
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
                                    struct ixor_writer *writer, struct ix_error *err)
{
    struct ixor_prober *p = calloc(1, sizeof *p);
    if (!p) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    p->writer = writer;
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
