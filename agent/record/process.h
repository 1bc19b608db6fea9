/* SPDX-License-Identifier: Apache-2.0 */
/* The resources used by the process: processor time, memory, descriptors, garbage collections.
 * Independent of the JVM. Linux: /proc/self. */
#ifndef IX_AGENT_PROCESS_H
#define IX_AGENT_PROCESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "schema/tracelog/tracelog.h"

/* Garbage collections, from the JVM's events at its safepoints. Only atomics, because the thread
 * that reports them must not wait. A stop of the application by the collector counts as one: one
 * for each collection of Serial and Parallel; G1's remark and cleanup and ZGC's short stops (three
 * per collection, six to eight with generations) count separately. What these collectors do while
 * the application runs is not counted. */
struct ixa_collections {
    _Atomic uint64_t count, ns;
    _Atomic int64_t begun_ns; /* monotonic; 0: none in progress */
};

void ixa_collections_start(struct ixa_collections *c, int64_t now_ns);
/* Does nothing if the start was not seen, because the events were enabled in between. */
void ixa_collections_finish(struct ixa_collections *c, int64_t now_ns);

struct ixa_process {
    int statm_fd;         /* /proc/self/statm; -1: cannot be read */
    bool sized;           /* the size of /proc/self/fd is the number in use (Linux 6.2) */
    uint64_t descriptors; /* the last count, for kernels without `sized` */
    int64_t next_ns;      /* earliest time of the next count */
};
#define IXA_PROCESS_NONE ((struct ixa_process){.statm_fd = -1})

/* Opens the files that are read for each packet. A figure that the system does not provide is 0. */
void ixa_process_open(struct ixa_process *p);
void ixa_process_close(struct ixa_process *p);

/* Reads all figures; 20 to 40 us with 100 threads. Descriptors are those in use, and one for each
 * thread that is in accept(). Before Linux 6.2 they must be counted one by one, without the latter,
 * which takes 1 to 3 ms for some hundreds of them. They are then counted only often enough to take
 * at most 0.1 % of one processor; in between, the last count is returned. */
void ixa_process_read(struct ixa_process *p, const struct ixa_collections *collections,
                      int64_t now_ns, struct ix_process *out);

/* Resident pages from the text of statm ("SIZE RESIDENT SHARED ..."); 0 if the text is
 * malformed. */
uint64_t ixa_process_resident(const char *statm);
/* Entries of a directory without "." and ".."; -1 if it cannot be read. If the directory is the
 * process's own list of descriptors, the descriptor used for reading it is not counted. */
int64_t ixa_process_entries(const char *path);

#endif
