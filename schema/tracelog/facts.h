/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes and decodes the facts about a snapshot as records of a trace log (tracelog.md, Facts). */
#ifndef IX_SCHEMA_TRACELOG_FACTS_H
#define IX_SCHEMA_TRACELOG_FACTS_H

#include "schema/base/bytes.h"
#include "schema/base/error.h"
#include "schema/tracelog/tracelog.h"

#define IX_FACT_FIRST IX_LOG_VIRTUAL
#define IX_FACT_LAST IX_LOG_PAUSES

/* Older readers refuse other kinds in LOCKS, but skip a record that they do not know. */
static inline bool ix_is_monitor(enum ix_lock_kind kind)
{
    return kind <= IX_LOCK_WAITS;
}

/* Facts waiting for the next snapshot; all zero: none. */
struct ix_facts_out {
    bool has_virtual, has_process;
    uint64_t virtual_hidden;
    struct ix_process process;
    /* Their lists, encoded; failed: memory ran out. */
    struct ix_out locks, synchronizers, exceptions, firsts, starters, turns, traffic, invocations,
        covered, pauses;
    size_t lock_count, synchronizer_count, exception_count, first_count, starter_count, turn_count,
        traffic_count, invocation_count, covered_count, pause_count;
    bool synchronizers_written; /* there was a list of them in this part */
    bool synchronizers_again;   /* it is the list for the next snapshot, too */
    uint64_t exceptions_dropped, firsts_dropped;
    unsigned connection_flags;
    struct ix_out waits, changes, joins;
    size_t wait_count, change_count, join_count;
};

/* Adds it to the list for its kind. -1 if memory ran out. */
int ix_put_lock(struct ix_facts_out *facts, const struct ix_lock *lock);
/* The length of that list, encoded, in bytes. */
size_t ix_put_locks_size(const struct ix_facts_out *facts, enum ix_lock_kind kind);
void ix_put_exception(struct ix_facts_out *facts, const struct ix_exception *exception);
void ix_put_first(struct ix_facts_out *facts, const struct ix_first *first);
void ix_put_starter(struct ix_facts_out *facts, const struct ix_starter *starter);
void ix_put_turns(struct ix_facts_out *facts, const struct ix_turns *turns);
void ix_put_traffic(struct ix_facts_out *facts, const struct ix_traffic *traffic, uint32_t local,
                    uint32_t remote);
void ix_put_invocations(struct ix_facts_out *facts, const struct ix_invocations *invocations);
void ix_put_covered(struct ix_facts_out *facts, const struct ix_covered *covered);
void ix_put_pause(struct ix_facts_out *facts, const struct ix_pause *pause);
/* local, remote: numbers of strings. */
void ix_put_wait(struct ix_facts_out *facts, const struct ix_wait *wait, uint32_t local,
                 uint32_t remote);
void ix_put_connection(struct ix_facts_out *facts, const struct ix_connection *connection,
                       uint32_t local, uint32_t remote);
void ix_put_join(struct ix_facts_out *facts, const struct ix_join *join);
/* Appends the payload of a record of that type, which must then be written; false if there is
 * nothing to record. Once for each type and snapshot. */
bool ix_put_facts(struct ix_out *payload, uint8_t type, struct ix_facts_out *facts);
void ix_facts_out_clear(
    struct ix_facts_out *facts); /* keeps the memory, and synchronizers_written */
void ix_facts_out_free(struct ix_facts_out *facts);
size_t ix_facts_out_memory(const struct ix_facts_out *facts); /* bytes */

/* Facts read for the next snapshot; all zero: none. */
struct ix_facts_in {
    struct ix_facts facts; /* its lists are the arrays here */
    struct ix_lock *locks;
    struct ix_exception *exceptions;
    struct ix_first *firsts;
    struct ix_starter *starters;
    struct ix_turns *turns;
    struct ix_traffic *traffic;
    struct ix_invocations *invocations;
    struct ix_covered *covered;
    struct ix_pause *pauses;
    struct ix_wait *waits;
    struct ix_connection *changes;
    struct ix_join *joins;
    size_t lock_cap, exception_cap, first_cap, starter_cap, turn_cap, traffic_cap, invocation_cap,
        covered_cap, pause_cap, wait_cap, change_cap, join_cap;
    struct ix_lock *last; /* the last list of synchronizers in this part */
    size_t last_count, last_cap;
    unsigned seen; /* a bit for each type of record */
};

/* What a fact can refer to: numbers are below these. */
struct ix_fact_base {
    uint32_t threads, classes, methods, frames, stacks,
        string_count;           /* string_count: length of `strings` */
    const char *const *strings; /* the facts point to these */
};

/* Decodes a record of type VIRTUAL to PAUSES. -1 if it breaks a rule of the format or memory
 * ran out. O(payload). */
int ix_get_facts(struct ix_facts_in *in, uint8_t type, struct ix_in payload,
                 const struct ix_fact_base *base, struct ix_error *err);
void ix_facts_in_clear(struct ix_facts_in *in); /* keeps the memory, and `last` */
void ix_facts_in_begin(struct ix_facts_in *in); /* a new part: without `last` */
void ix_facts_in_free(struct ix_facts_in *in);
size_t ix_facts_in_memory(const struct ix_facts_in *in); /* bytes */

#endif
