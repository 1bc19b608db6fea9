/* What makes a packet one instant, and how well that went: the lead of target times, the skew of
 * what the VMs report, stops that were late. Between ticker, sessions and ledger.
 */
#ifndef IXOR_INSTANT_H
#define IXOR_INSTANT_H

#include "schema/protocol.h"
#include "server/ledger.h"
#include "server/recent.h"

struct ixor_session;
struct ixor_instant;

/* A stop that was asked for more than this after its target time is late. */
#define IXOR_LATE_NS 200000
/* Packets of which a session remembers the target time: reports come within some 250 ms. Of one
 * that comes later nobody says that it was late. */
#define IXOR_AIMS 32
struct ixor_aim {
    uint64_t number, target_ns; /* the VM's clock */
};
/* What a packet was not reported by this long after reports were due it was not taken by. */
#define IXOR_OUTCOME_NS 2000000000ull

/* lead_ns and gap_ns as for ixor_lead_init. The ledger must outlive it. NULL: out of memory. */
struct ixor_instant *ixor_instant_new(struct ixor_ledger *ledger, uint64_t lead_ns,
                                      uint64_t gap_ns);
/* i may be NULL. Packets that are still open have no outcome. */
void ixor_instant_free(struct ixor_instant *i);

/* The lead of a packet that is sent to so many VMs now; 0: at once. */
uint64_t ixor_instant_lead(struct ixor_instant *i, size_t vms, uint64_t now_ns);
/* The target time of packet `number` in the clock of a VM that is to take it at target_ns (0: at
 * once) of the server's; 0 if its clock is not known. */
uint64_t ixor_instant_target(struct ixor_session *s, uint64_t number, uint64_t target_ns);
/* A packet was sent to an execution; of `packet` the fields up to vms count. */
void ixor_instant_sent(struct ixor_instant *i, const struct ixor_recent_packet *packet);
/* A VM reports n packets. */
void ixor_instant_taken(struct ixor_instant *i, struct ixor_session *s,
                        const struct ix_taken *taken, size_t n);

/* Closes packets of which nothing more is to be expected; called now and then. Agents may report
 * report_ns late. */
void ixor_instant_check(struct ixor_instant *i, uint64_t now_ns, uint64_t report_ns);
/* Closes the packets of an execution: its VMs have gone. */
void ixor_instant_end(struct ixor_instant *i, int64_t execution);

#endif
