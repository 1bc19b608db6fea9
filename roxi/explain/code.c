/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/explain/code.h"

#include <math.h>
#include <stdlib.h>

#include "roxi/rank/peers.h"

#define LEAST 4.0   /* evidence of a class (docs/why-measured.md) */
#define STARTED 0.5 /* share of its code that a JVM has executed by then */
#define LESS 0.3    /* of the messages before */
#define ASKED 0.2   /* messages that it is sent, for each one that it sends, of those who connect */
/* What counts as more packets: */
#define MORE_NS 1e9     /* those of so much time, */
#define MORE_OF_RUN 0.1 /* but at most such a share of the run, */
enum { MORE = 10 };     /* and at least so many */

static bool tells(const struct roxi_finder *f, size_t run, bool pauses)
{
    const struct roxi_use *u = &f->profiles->executions[run].use;
    return f->normal[run] && (pauses ? u->tells_pauses : u->tells_covered);
}

bool *roxi_code_runs(const struct roxi_finder *f, bool pauses)
{
    size_t telling = 0, seen = 0;
    for (size_t r = 0; r < f->profiles->count; r++)
        telling += tells(f, r, pauses);
    const size_t most = telling < ROXI_CODE_RUNS ? telling : ROXI_CODE_RUNS;
    bool *chosen = calloc(f->profiles->count + 1, sizeof *chosen);
    for (size_t r = 0; chosen && r < f->profiles->count; r++)
        if (tells(f, r, pauses))
            chosen[r] = roxi_is_chosen(seen++, most, telling);
    return chosen;
}

static bool has_peers(const struct roxi_finder *f, uint32_t role)
{
    bool peers = false;
    for (size_t i = 0; i < f->run->role_count && !peers; i++)
        peers = f->run->roles[i].role != role &&
                roxi_roles_are_peers(f->ranking->durations, f->run->roles[i].role, role);
    return peers;
}

bool roxi_code_asks(const struct roxi_finder *f, uint32_t role)
{
    const struct roxi_use *u = &f->run->use;
    double asks = 0, asked = 0;
    for (size_t i = 0; i < u->talk_count; i++) {
        const struct roxi_talk *t = &u->talks[i];
        if (t->accepted || t->role == t->peer)
            continue;
        asks += t->role == role ? fmax(1, (double)t->sent) : 0;
        asked += t->peer == role ? fmax(1, (double)t->sent) : 0;
    }
    return asks > 0 && asked <= (has_peers(f, role) ? 0 : ASKED * asks);
}

bool roxi_code_is_starting(const struct roxi_use *u, uint32_t role, uint64_t packet)
{
    size_t before = 0, all = 0;
    for (size_t i = 0; i < u->covered_count; i++) {
        if (u->covered[i].role != role)
            continue;
        all++;
        before += u->covered[i].packet < packet;
    }
    return (double)before < STARTED * (double)all;
}

/* Messages that a role got a packet, from all others, from one packet to the one before the other.
 */
static double got(const struct roxi_history *h, uint32_t role, uint64_t from, uint64_t to)
{
    double sum = 0;
    for (size_t i = 0; i < h->sent_count; i++)
        if (h->sent[i].peer == role && h->sent[i].packet >= from && h->sent[i].packet < to)
            sum += (double)h->sent[i].sent;
    return to > from ? sum / (double)(to - from) : 0;
}

bool roxi_code_gets_less(const struct roxi_history *h, uint32_t role, uint64_t packet,
                         uint64_t packets)
{
    const double before = got(h, role, roxi_history_first(h), packet);
    return got(h, role, packet, packet + packets) < LESS * before;
}

double roxi_code_more(const struct roxi_history *h)
{
    const size_t last = h->moment_count ? h->moment_count - 1 : 0;
    const double length = last ? (double)(h->moments[last].real_ns - h->moments[0].real_ns) : 0;
    const double ns = fmin(MORE_NS, MORE_OF_RUN * length);
    return length > 0 ? fmax(MORE, ns * (double)last / length) : MORE;
}

struct roxi_finding roxi_code_finding(const struct roxi_finder *f, enum roxi_about about,
                                      uint32_t role, uint32_t stack)
{
    const struct roxi_frame at = roxi_symbols_top(f->profiles->symbols, stack);
    struct roxi_finding x = roxi_finding_of(about, (struct roxi_member){.role = role});
    x.stack = stack;
    x.call.class_name = at.class_name;
    x.call.method = at.method;
    return x;
}

double roxi_code_weight(const struct roxi_findings *f, double share)
{
    double weight = LEAST;
    for (size_t i = 0; i < f->count; i++)
        weight = fmax(weight, share * f->list[i].weight);
    return weight;
}
