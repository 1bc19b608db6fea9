/* SPDX-License-Identifier: Apache-2.0 */
/* Who waits for whom now, across the JVMs of a run that is not over, and who talks to whom, as JSON
 * (docs/viewer.md), for the viewer and `ixor top`: the graph of schema/waits at the newest packet
 * of lockstep.h.
 *
 * Packets with more threads, sockets or facts than the bounds here are skipped, because the time
 * for a graph can grow with their square. One struct, one thread. */
#ifndef IXOR_WAITS_H
#define IXOR_WAITS_H

#include "server/viewer/live.h"

#define IXOR_WAITS_THREADS 10000u /* of all JVMs */
#define IXOR_WAITS_SOCKETS 10000u
#define IXOR_WAITS_FACTS 10000u   /* locks, waits for descriptors and joins */
#define IXOR_WAITS_ENDS 100u      /* in an answer; others are counted */
#define IXOR_WAITS_ELEMENTS 2000u /* of chains and deadlocks in an answer; chains are whole */
#define IXOR_WAITS_TALKS 200u     /* pairs of JVMs that talk, in an answer; others are counted */

struct ixor_waits;

/* `patience_ns`: the age of a packet from which on running JVMs that have not written it are left
 * out. */
#define IXOR_WAITS_PATIENCE_NS INT64_C(1000000000)

struct ixor_waits *ixor_waits_new(int64_t patience_ns); /* NULL: out of memory */
void ixor_waits_free(struct ixor_waits *w);             /* w may be NULL */

/* Of a run (0: the latest). Not there: the run is over, has no packet yet, or its JVMs do not
 * record what threads wait for. Results as in live.h; do not change the JSON. */
enum ixor_found ixor_waits_now(struct ixor_waits *w, struct ixor_live *l, int64_t execution,
                               json_t **out, struct ix_error *err);

#endif
