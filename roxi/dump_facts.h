/* What is known beside a snapshot, for human eyes: locks under their threads, deadlocks, the
 * process, exceptions. */
#ifndef ROXI_DUMP_FACTS_H
#define ROXI_DUMP_FACTS_H

#include <stdio.h>

#include "schema/tracelog_reader.h"

/* A snapshot's locks, so that those of a thread and the owner of an object are found by halving.
 * They point into the reader's. */
struct dump_locks {
    const struct ix_lock **by_thread; /* owned; by thread and depth */
    const struct ix_lock **owners;    /* owned; IX_LOCK_OWNS by object */
    size_t count, owner_count;
};

/* 0, or -1 if memory ran out; to be freed in both cases. */
int dump_locks_sort(struct dump_locks *locks, const struct ix_facts *facts);
void dump_locks_free(struct dump_locks *locks);
/* A line for each lock of the thread at that depth; -1: what it waits for, and monitors it owns
 * that are at no known frame. */
void dump_locks_at(FILE *out, const struct ix_log_reader *log, const struct dump_locks *locks,
                   uint32_t thread, int32_t depth);
/* A line for each ring of threads of which each waits to enter a monitor that the next one owns. */
void dump_deadlocks(FILE *out, const struct ix_log_reader *log, const struct dump_locks *locks);

/* The lines about the process, exceptions, and virtual threads. */
void dump_facts(FILE *out, const struct ix_log_reader *log, const struct ix_facts *facts);

#endif
