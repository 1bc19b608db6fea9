/* Numbers the packets and sends each one to all VMs at one instant: when the rhythm says so, and when
 * somebody asks.
 *
 * A number is spent only when somebody gets it. All of a campaign's executions share one sequence,
 * which only grows.
 */
#ifndef IXOR_TICKER_H
#define IXOR_TICKER_H

#include <event2/event.h>

#include "server/instant.h"
#include "server/rhythm.h"
#include "server/session.h"

struct ixor_ticker;

struct ixor_ticker_options {
    struct ixor_rhythm_options rhythm;
    struct ixor_instant *instant;
    uint64_t last;              /* the highest number used so far */
    struct ixor_address listen; /* datagrams come from this address */
};

/* Roster, ledger, instant and the list of executions must outlive the ticker. NULL on failure. */
struct ixor_ticker *ixor_ticker_new(struct event_base *base,
                                    const struct ixor_ticker_options *options,
                                    const struct ixor_roster *roster,
                                    struct ixor_execution *const *executions,
                                    struct ixor_ledger *ledger, struct ix_error *err);
void ixor_ticker_free(struct ixor_ticker *t); /* t may be NULL */

/* Sends one packet now, also while paused; to how many VMs. 0: nobody is there, and no number was
 * spent. */
size_t ixor_ticker_now(struct ixor_ticker *t);
/* Paused, the rhythm goes on without packets. */
void ixor_ticker_pause(struct ixor_ticker *t, bool paused);
bool ixor_ticker_paused(const struct ixor_ticker *t);

uint64_t ixor_ticker_last(const struct ixor_ticker *t);
/* The numbers to come are above `number`. */
void ixor_ticker_above(struct ixor_ticker *t, uint64_t number);

#endif
