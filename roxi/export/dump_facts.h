/* SPDX-License-Identifier: Apache-2.0 */
/* The facts besides the call stacks, in readable form: locks under their threads, deadlocks, the
 * process, exceptions. */
#ifndef ROXI_DUMP_FACTS_H
#define ROXI_DUMP_FACTS_H

#include <stdio.h>

#include "schema/tracelog/reader.h"

/* A snapshot's locks, sorted so that a thread's locks and an object's owner are found by binary
 * search. The pointers refer to the reader's data. */
struct dump_locks {
    const struct ix_lock **by_thread; /* owned; sorted by thread and depth */
    const struct ix_lock **owners;    /* owned; those that own, sorted by object */
    size_t count, owner_count;
};

/* The depth of synchronizers that a thread owns: below all frames. */
enum { DUMP_SYNCHRONIZERS = INT32_MAX };

/* 0, or -1 if out of memory; free it in both cases. */
int dump_locks_sort(struct dump_locks *locks, const struct ix_facts *facts);
void dump_locks_free(struct dump_locks *locks);
/* Prints a line for each lock of the thread at that depth; depth -1: what it waits for, and the
 * monitors it owns at no known frame. */
void dump_locks_at(FILE *out, const struct ix_log_reader *log, const struct dump_locks *locks,
                   uint32_t thread, int32_t depth);
/* Prints a line for each cycle of threads in which each waits for a monitor or a synchronizer that
 * the next one owns. -1: out of memory. O(n log n) in the number of locks. */
int dump_deadlocks(FILE *out, const struct ix_log_reader *log, const struct dump_locks *locks);

/* Prints the lines about the process, exceptions, virtual threads and connections. */
void dump_facts(FILE *out, const struct ix_log_reader *log, const struct ix_facts *facts);
/* Of these, only those about exceptions. */
void dump_exceptions(FILE *out, const struct ix_log_reader *log, const struct ix_facts *facts);
/* How often methods were called. */
void dump_invocations(FILE *out, const struct ix_log_reader *log, const struct ix_facts *facts);
/* Where code was executed for the first time. */
void dump_pauses(FILE *out, const struct ix_log_reader *log, const struct ix_facts *facts);
void dump_covered(FILE *out, const struct ix_log_reader *log, const struct ix_facts *facts);

#endif
