/* SPDX-License-Identifier: Apache-2.0 */
/* Measures every JVM's clock continuously: sends probes and feeds the answers to clock.h. Also
 * assigns the session numbers that answers carry.
 *
 * A session gets IXOR_PROBE_BURST probes IXOR_PROBE_FIRST_NS apart, then one every
 * IXOR_PROBE_EVERY_NS; with thousands of sessions less often, so that on average no more than
 * IXOR_PROBE_RATE are sent per second. If many sessions start at once, their bursts take turns. An
 * answer is accepted if it is sealed with the session's secret and answers an open probe; others
 * are counted and ignored.
 */
#ifndef IXOR_PROBER_H
#define IXOR_PROBER_H

#include <event2/event.h>
#include "server/sampling/jvm.h"

#define IXOR_PROBE_BURST 8
#define IXOR_PROBE_FIRST_NS 50000000ull
#define IXOR_PROBE_EVERY_NS 2000000000ull
#define IXOR_PROBE_RATE 500
struct ixor_prober;

/* Datagrams are sent from the address `listen` and a separate port. NULL on failure. */
struct ixor_prober *ixor_prober_new(struct event_base *base, const struct ixor_address *listen,
                                    struct ixor_writer *writer, struct ix_error *err);
/* All JVMs have left. p may be NULL. */
void ixor_prober_free(struct ixor_prober *p);

/* Gives the JVM its number (jvm->key) and its clock; jvm->hello, sealer and udp must be set before
 * the event loop runs again: from then on it is probed. 0 or -1. */
int ixor_prober_enter(struct ixor_prober *p, struct ixor_jvm *jvm, struct ix_error *err);
/* Call before the JVM's end is recorded; a JVM that did not enter may leave, too. */
void ixor_prober_leave(struct ixor_prober *p, struct ixor_jvm *jvm);

/* Number of datagrams that did not answer an open probe. */
uint64_t ixor_prober_ignored(const struct ixor_prober *p);

#endif
