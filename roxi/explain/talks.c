/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/explain/talks.h"

struct roxi_usual_talk roxi_talk_usual(const struct roxi_finder *f, const struct roxi_talk *talk)
{
    struct roxi_usual_talk usual = {0};
    const double runs = (double)f->out->normal;
    for (size_t r = 0; r < f->ranking->n; r++) {
        const struct roxi_use *u = &f->profiles->executions[r].use;
        for (size_t i = 0; f->normal[r] && i < u->talk_count; i++) {
            const struct roxi_talk *x = &u->talks[i];
            if (x->role != talk->role || x->peer != talk->peer || x->accepted != talk->accepted)
                continue;
            usual.sent += (double)x->sent / runs;
            usual.connections += (double)x->connections / runs;
            usual.waits += x->waits / runs;
            usual.sent_like += x->sent >= talk->sent;
            usual.waits_like += x->waits >= talk->waits;
        }
    }
    return usual;
}

/* ---- the other JVM of a finding ---- */

/* How much a talk has to do with the finding; *peer is the other JVM then. */
static double has_to_do(const struct roxi_finder *f, const struct roxi_finding *x,
                        const struct roxi_talk *talk, uint32_t *peer)
{
    const bool owed = x->kind == ROXI_OWED;
    *peer = owed ? talk->role : talk->peer;
    if ((owed ? talk->peer : talk->role) != x->who.role)
        return 0;
    if (x->kind == ROXI_UNREAD)
        return talk->unread;
    if (talk->accepted != (x->kind == ROXI_SENT_BACK))
        return 0;
    if (owed)
        return talk->waits;
    const struct roxi_usual_talk usual = roxi_talk_usual(f, talk);
    return x->kind == ROXI_OPENED ? (double)talk->connections - usual.connections
                                  : (double)talk->sent - usual.sent;
}

void roxi_finder_talk(const struct roxi_finder *f, struct roxi_finding *x)
{
    const struct roxi_use *u = &f->run->use;
    double most = 0;
    for (size_t i = 0; i < u->talk_count; i++) {
        uint32_t peer;
        const double much = has_to_do(f, x, &u->talks[i], &peer);
        if (much <= most)
            continue;
        most = much;
        x->peer.role = peer;
        if (x->kind == ROXI_OWED || x->kind == ROXI_UNREAD)
            x->packet = x->kind == ROXI_OWED ? u->talks[i].waits_from : u->talks[i].unread_from;
    }
}
