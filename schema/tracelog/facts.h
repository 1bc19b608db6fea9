/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes and decodes the facts about a snapshot as records of a trace log (tracelog.md, Facts). */
#ifndef IX_SCHEMA_TRACELOG_FACTS_H
#define IX_SCHEMA_TRACELOG_FACTS_H

#include "schema/base/bytes.h"
#include "schema/base/error.h"
#include "schema/tracelog/tracelog.h"

#define IX_FACT_FIRST IX_LOG_VIRTUAL
#define IX_FACT_LAST IX_LOG_EXCEPTIONS

/* Facts waiting for the next snapshot; all zero: none. */
struct ix_facts_out {
    bool has_virtual, has_process;
    uint64_t virtual_hidden;
    struct ix_process process;
    struct ix_out locks, exceptions; /* their lists, encoded; failed: memory ran out */
    size_t lock_count, exception_count;
    uint64_t exceptions_dropped;
};

void ix_put_lock(struct ix_facts_out *facts, const struct ix_lock *lock);
void ix_put_exception(struct ix_facts_out *facts, const struct ix_exception *exception);
/* Appends the payload of a record of that type; false if there is nothing to record. */
bool ix_put_facts(struct ix_out *payload, uint8_t type, const struct ix_facts_out *facts);
void ix_facts_out_clear(struct ix_facts_out *facts); /* keeps the memory */
void ix_facts_out_free(struct ix_facts_out *facts);

/* Facts read for the next snapshot; all zero: none. */
struct ix_facts_in {
    struct ix_facts facts; /* its lists are the arrays here */
    struct ix_lock *locks;
    struct ix_exception *exceptions;
    size_t lock_cap, exception_cap;
    unsigned seen; /* a bit for each type of record */
};

/* What a fact can refer to: numbers are below these. */
struct ix_fact_base {
    uint32_t threads, classes, frames;
};

/* Decodes a record of type VIRTUAL to EXCEPTIONS. -1 if it breaks a rule of the format or memory
 * ran out. O(payload). */
int ix_get_facts(struct ix_facts_in *in, uint8_t type, struct ix_in payload,
                 const struct ix_fact_base *base, struct ix_error *err);
void ix_facts_in_clear(struct ix_facts_in *in); /* keeps the memory */
void ix_facts_in_free(struct ix_facts_in *in);

#endif
