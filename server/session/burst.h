/* SPDX-License-Identifier: Apache-2.0 */
/* A burst: packets in quick succession to JVMs that hang, before something ends or interrupts them.
 * They come whether or not packets are paused, and in addition to those of the rhythm. */
#ifndef IXOR_BURST_H
#define IXOR_BURST_H

#include "server/session/context.h"

#define IXOR_BURST_PACKETS 10u
#define IXOR_BURST_GAP_MS 20u
/* From the first packet: JVMs that do not report do not hold up the end for longer. */
#define IXOR_BURST_MAX_MS 1000u

struct ixor_burst;

/* Sends the first packet after `after_ns`, to the JVMs of `execution`, or if that is NULL to all
 * that are sampled. `why`, a constant, is a mark of the run then; NULL: none. Calls `done` (may be
 * NULL) once, from the event loop: when each of them has reported the last packet or has left, or
 * IXOR_BURST_MAX_MS after the first packet. Context and execution must outlive the burst. NULL: out
 * of memory. */
struct ixor_burst *ixor_burst_new(struct ixor_context *c, const struct ixor_execution *execution,
                                  uint64_t after_ns, const char *why, void (*done)(void *user),
                                  void *user);
/* A burst that is not over ends at once, and `done` is not called. b may be NULL. */
void ixor_burst_free(struct ixor_burst *b);

#endif
