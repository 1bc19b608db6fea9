/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/page/recorded.h"

#include <stdlib.h>
#include <string.h>

#include "roxi/waits/nobody.h"
#include "roxi/waits/print.h"
#include "roxi/waits/run.h"
#include "schema/base/grow.h"
#include "schema/base/text_memory.h"
#include "schema/tracelog/thread_state.h"
#include "schema/waits/build.h"

struct reading {
    struct roxi_recorded *out;
    const struct roxi_listed_execution *run;
    struct waits_jvms jvms;
    struct roxi_tally latest; /* by JVM and thread: a number */
    size_t *latest_state;     /* by that number: its latest state; owned */
    size_t latest_cap;
};

/* ---- the worst packet ---- */

enum { SETTLED = 2 }; /* packets after which it is known what a thread waits for */

struct edge {
    uint64_t packet;
    double more; /* packets of waits that begin, or, below 0, that are over */
};

static int by_packet(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->packet != y->packet)
        return x->packet < y->packet ? -1 : 1;
    return (x->more > y->more) - (x->more < y->more);
}

int roxi_recorded_worst(const struct waits_chains *c, uint64_t from, uint64_t *packet)
{
    struct edge *edges = calloc(2 * c->count + 1, sizeof *edges);
    size_t n = 0;
    double sum = 0, most = 0;
    *packet = 0;
    if (!edges)
        return -1;
    for (size_t i = 0; i < c->count; i++) {
        const struct waits_chain *chain = &c->list[i];
        const uint64_t first = chain->first > from ? chain->first : from;
        if (chain->last < from)
            continue;
        const double length = (double)(chain->last - first + 1);
        edges[n++] = (struct edge){first, length};
        edges[n++] = (struct edge){chain->last + 1, -length};
    }
    qsort(edges, n, sizeof *edges, by_packet);
    for (size_t i = 0; i < n; i++) {
        sum += edges[i].more;
        if (sum > most) { /* so there are edges after this one, which is the last of its packet */
            most = sum;
            const uint64_t after = edges[i + 1].packet - edges[i].packet;
            *packet = edges[i].packet + (after > SETTLED ? SETTLED : after ? after - 1 : 0);
        }
    }
    free(edges);
    return 0;
}

/* ---- states ---- */

static int state_of(uint32_t bits)
{
    if (bits & IX_THREAD_BLOCKED)
        return ROXI_BLOCKED;
    if (bits & IX_THREAD_SLEEPING)
        return ROXI_SLEEPING;
    if (bits & (IX_THREAD_WAITING | IX_THREAD_OBJECT_WAIT | IX_THREAD_PARKED))
        return ROXI_WAITING;
    return ROXI_RUNNING;
}

static int take_state(struct reading *r, const struct roxi_state *now)
{
    struct roxi_recorded *out = r->out;
    const size_t known = r->latest.n;
    const uint32_t n = roxi_tally_add(&r->latest, roxi_pair(now->jvm, now->thread), 0);
    size_t *latest = n == ROXI_NONE
                         ? NULL
                         : ix_grow(r->latest_state, &r->latest_cap, (size_t)n + 1, sizeof *latest);
    if (!latest)
        return -1;
    r->latest_state = latest;
    if (n < known && out->states[latest[n]].state == now->state) {
        out->states[latest[n]].last = now->last;
        return 0;
    }
    struct roxi_state *states = ix_grow(out->states, &out->cap, out->count + 1, sizeof *states);
    if (!states)
        return -1;
    out->states = states;
    latest[n] = out->count;
    states[out->count++] = *now;
    return 0;
}

/* Is it in a system call on a socket? Only threads that run for the JVM can be. */
static bool is_on_network(const struct ix_connections *c, uint32_t thread)
{
    for (size_t i = 0; i < c->wait_count; i++)
        if (c->waits[i].thread == thread)
            return strncmp(c->waits[i].local, "pipe:", 5) != 0;
    return false;
}

static int take_jvm(struct reading *r, const struct waits_jvm *jvm)
{
    const struct ix_facts facts = ix_log_facts(jvm->log);
    for (size_t i = 0; i < jvm->snapshot.count; i++) {
        const struct ix_entry *entry = &jvm->snapshot.entries[i];
        struct roxi_state now = {.jvm = (uint32_t)jvm->place,
                                 .thread = entry->thread,
                                 .first = r->jvms.packet,
                                 .last = r->jvms.packet,
                                 .state = state_of(entry->state)};
        if (now.state == ROXI_RUNNING && is_on_network(&facts.connections, entry->thread))
            now.state = ROXI_ON_NETWORK;
        if (take_state(r, &now) != 0)
            return -1;
    }
    return 0;
}

static int by_thread(const void *a, const void *b)
{
    const struct roxi_state *x = a, *y = b;
    if (x->jvm != y->jvm)
        return x->jvm < y->jvm ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

/* ---- who waits for whom ---- */

static int take_waiting(struct roxi_waiting *w, const struct waits_jvms *jvms)
{
    struct waits_build build = {0};
    struct ix_text t;
    if (w->packet != jvms->packet || w->text)
        return 0;
    if (waits_build(&build, jvms) != 0 || ix_text_open(&t) != 0) {
        waits_build_free(&build);
        return -1;
    }
    waits_print_text(t.out, &build);
    const int result = waits_print_nobody(t.out, &build);
    w->text = ix_text_close(&t);
    waits_build_free(&build);
    return w->text ? result : -1;
}

static uint64_t departure_of(const struct roxi_findings *f)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->list[i].packet)
            return f->list[i].packet;
    return 0;
}

/* ---- what is known of a thread ---- */

size_t roxi_recorded_first(const struct roxi_recorded *r, uint32_t jvm, uint32_t thread)
{
    size_t low = 0;
    for (size_t high = r->count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        const struct roxi_state *at = &r->states[middle];
        if (at->jvm < jvm || (at->jvm == jvm && at->thread < thread))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int roxi_recorded_state(const struct roxi_recorded *r, const struct roxi_span *span, int doing)
{
    uint64_t packets[ROXI_BLOCKED + 1] = {0};
    int most = ROXI_RUNNING;
    for (size_t i = roxi_recorded_first(r, span->jvm, span->thread); i < r->count; i++) {
        const struct roxi_state *x = &r->states[i];
        if (x->jvm != span->jvm || x->thread != span->thread || x->first > span->last)
            break;
        const uint64_t first = x->first > span->first ? x->first : span->first;
        const uint64_t last = x->last < span->last ? x->last : span->last;
        if (first <= last)
            packets[x->state] += last - first + 1;
    }
    for (int state = 0; state <= ROXI_BLOCKED; state++)
        if (packets[state] > packets[most])
            most = state;
    return most == ROXI_RUNNING ? doing : most;
}

/* ---- the whole ---- */

static int take_packet(struct reading *r)
{
    int result = 0;
    for (size_t i = 0; i < r->jvms.count && result == 0; i++)
        if (r->jvms.list[i].here)
            result = take_jvm(r, &r->jvms.list[i]);
    if (result == 0)
        result = take_waiting(&r->out->departure, &r->jvms);
    return result == 0 ? take_waiting(&r->out->worst, &r->jvms) : result;
}

static int read_logs(struct reading *r, struct ix_error *err)
{
    int more, result = waits_jvms_open(&r->jvms, r->run, true, err);
    while (result == 0 && (more = waits_jvms_next(&r->jvms, err)) != 0) {
        if (more < 0)
            result = -1;
        else if (take_packet(r) != 0)
            result = ix_fail(err, "out of memory");
    }
    r->out->facts = r->jvms.any_facts;
    if (r->out->count)
        qsort(r->out->states, r->out->count, sizeof *r->out->states, by_thread);
    waits_jvms_free(&r->jvms);
    roxi_tally_free(&r->latest);
    free(r->latest_state);
    return result;
}

int roxi_recorded_read(struct roxi_recorded *out, const struct roxi_listed_execution *run,
                       const struct roxi_findings *f, struct ix_error *err)
{
    struct reading r = {.out = out, .run = run};
    *out = (struct roxi_recorded){.departure.packet = departure_of(f)};
    if (roxi_recorded_worst(&f->chains, out->departure.packet, &out->worst.packet) != 0)
        return ix_fail(err, "out of memory");
    const int result = read_logs(&r, err);
    if (result != 0)
        roxi_recorded_free(out);
    return result;
}

void roxi_recorded_free(struct roxi_recorded *r)
{
    free(r->states);
    free(r->departure.text);
    free(r->worst.text);
    *r = (struct roxi_recorded){0};
}
