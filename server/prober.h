/* Asks every VM for its clock, again and again: probes go out, answers come back, and the session's
 * clock (clock.h) learns from them. Also gives sessions their numbers, by which it finds the one
 * that an answer belongs to.
 *
 * A session gets IXOR_PROBE_BURST probes IXOR_PROBE_FIRST_NS apart, then one every
 * IXOR_PROBE_EVERY_NS; with thousands of sessions rarer, so that no more than IXOR_PROBE_RATE a
 * second go out in the long run. In a storm of newcomers they wait for each other. An answer counts
 * if it is sealed with the session's secret and answers a probe that is open; others are counted
 * and ignored.
 */
#ifndef IXOR_PROBER_H
#define IXOR_PROBER_H

#include <event2/event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "server/clock.h"
#include "server/ledger.h"
#include "server/units.h"

#define IXOR_PROBE_BURST 8
#define IXOR_PROBE_FIRST_NS 50000000ull
#define IXOR_PROBE_EVERY_NS 2000000000ull
#define IXOR_PROBE_RATE 500
/* Probes of a session that can be open at a time: answers to older ones come too late. */
#define IXOR_PROBES_OPEN 8

struct ixor_session;
struct ixor_prober;

/* A session's part, a member of it. */
struct ixor_probing {
    bool entered;
    uint32_t slot;
    unsigned burst; /* probes left of it */
    uint64_t due_ns, number;
    int64_t sent_ns[IXOR_PROBES_OPEN]; /* of probe n at n % IXOR_PROBES_OPEN; 0: not open */
    uint64_t told_ns;                  /* when the catalogue was told last; 0 never */
    struct ixor_clock_line told;
    TAILQ_ENTRY(ixor_session) links;
};

/* Datagrams come from the address `listen`, at a port of their own. NULL on failure. */
struct ixor_prober *ixor_prober_new(struct event_base *base, const struct ixor_address *listen,
                                    struct ixor_ledger *ledger, struct ix_error *err);
/* All sessions have left. p may be NULL. */
void ixor_prober_free(struct ixor_prober *p);

/* Gives the session its number (s->key) and its clock; s->hello is there. From the first call of
 * the event loop on it is probed, with s->sealer to s->udp. 0 or -1. */
int ixor_prober_enter(struct ixor_prober *p, struct ixor_session *s, struct ix_error *err);
/* Before its VM's end is recorded; a session that did not enter may leave. */
void ixor_prober_leave(struct ixor_prober *p, struct ixor_session *s);

/* Datagrams that were no answer to an open probe. */
uint64_t ixor_prober_ignored(const struct ixor_prober *p);

#endif
