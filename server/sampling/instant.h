/* SPDX-License-Identifier: Apache-2.0 */
/* How simultaneously JVMs take a packet: the lead of its target time, the skew of the reported
 * stops, and late stops.
 */
#ifndef IXOR_INSTANT_H
#define IXOR_INSTANT_H

#include "server/sampling/jvm.h"
#include "server/store/recent.h"

struct ixor_instant;

/* A stop requested more than this after its target time is late. */
#define IXOR_LATE_NS 200000
/* A JVM that has not reported a packet this long after reports were due has lost it. */
#define IXOR_OUTCOME_NS 2000000000ull

/* lead_ns and gap_ns as for ixor_lead_init. The writer must outlive it. NULL: out of memory. */
struct ixor_instant *ixor_instant_new(struct ixor_writer *writer, uint64_t lead_ns,
                                      uint64_t gap_ns);
/* i may be NULL. Packets that are still open get no outcome. */
void ixor_instant_free(struct ixor_instant *i);

/* The lead of a packet sent to `vms` JVMs now; 0: JVMs stop at once. */
uint64_t ixor_instant_lead(struct ixor_instant *i, size_t vms, uint64_t now_ns);
/* Converts a packet's target time from the server's clock (0: at once) to the JVM's; 0 if that
 * clock is not known. */
uint64_t ixor_instant_target(struct ixor_jvm *jvm, uint64_t number, uint64_t target_ns);
/* Records that a packet was sent to a run; only the fields of `packet` up to vms are used. */
void ixor_instant_sent(struct ixor_instant *i, const struct ixor_recent_packet *packet);
/* Records a JVM's report of n packets. */
void ixor_instant_taken(struct ixor_instant *i, struct ixor_jvm *jvm, const struct ix_taken *taken,
                        size_t n);

/* Closes packets for which no more reports are expected; called now and then. Agents may report up
 * to report_ns late. */
void ixor_instant_check(struct ixor_instant *i, uint64_t now_ns, uint64_t report_ns);
/* Closes the packets of a run whose JVMs have all left. */
void ixor_instant_end(struct ixor_instant *i, int64_t execution);

#endif
