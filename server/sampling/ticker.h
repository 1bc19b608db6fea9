/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers the packets and sends each to all JVMs at once, following the rhythm or on demand.
 *
 * A number is used only if at least one JVM gets it. All runs of a campaign share one sequence,
 * which only grows.
 */
#ifndef IXOR_TICKER_H
#define IXOR_TICKER_H

#include <event2/event.h>

#include "server/sampling/instant.h"
#include "server/sampling/rhythm.h"

struct ixor_ticker;

struct ixor_ticker_options {
    struct ixor_rhythm_options rhythm;
    struct ixor_instant *instant;
    uint64_t last;              /* the highest number used so far */
    struct ixor_address listen; /* datagrams come from this address */
};

/* The list of JVMs, the writer, `instant` and the list of runs must outlive the ticker. NULL on
 * failure. */
struct ixor_ticker *ixor_ticker_new(struct event_base *base,
                                    const struct ixor_ticker_options *options,
                                    const struct ixor_jvms *jvms,
                                    struct ixor_execution *const *executions,
                                    struct ixor_writer *writer, struct ix_error *err);
void ixor_ticker_free(struct ixor_ticker *t); /* t may be NULL */

/* Sends one packet now, even while paused. Returns the number of JVMs it was sent to; 0: there are
 * none, and no number was used. */
size_t ixor_ticker_now(struct ixor_ticker *t);
/* The same for a packet of a burst, to the JVMs of one run (NULL: of all runs). */
size_t ixor_ticker_burst(struct ixor_ticker *t, const struct ixor_execution *only);
/* While paused the rhythm continues, but no packets are sent. */
void ixor_ticker_pause(struct ixor_ticker *t, bool paused);
bool ixor_ticker_paused(const struct ixor_ticker *t);

uint64_t ixor_ticker_last(const struct ixor_ticker *t);
/* The highest number sent, or the one this ticker started from. */
uint64_t ixor_ticker_sent(const struct ixor_ticker *t);
/* Makes all further numbers greater than `number`. */
void ixor_ticker_above(struct ixor_ticker *t, uint64_t number);

#endif
