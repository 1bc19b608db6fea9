/* What the process as a whole has used: processor time, memory, descriptors, collections. Knows no
 * JVM. Linux: /proc/self. */
#ifndef IX_AGENT_PROCESS_H
#define IX_AGENT_PROCESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "schema/tracelog.h"

/* Garbage collections, told by the JVM's events at its safepoints. Only atomics: the thread that
 * tells them must not wait. What counts is a stop of the application by the collector: one for a
 * collection of Serial and Parallel; G1's remark and cleanup and ZGC's short stops (three a
 * collection, six to eight where it has generations) count for themselves, and what these
 * collectors do while the application runs is not counted. */
struct ixa_collections {
    _Atomic uint64_t count, ns;
    _Atomic int64_t begun_ns; /* monotonic; 0: none under way */
};

void ixa_collections_start(struct ixa_collections *c, int64_t now_ns);
/* Does nothing if the start was not told: the events began in between. */
void ixa_collections_finish(struct ixa_collections *c, int64_t now_ns);

struct ixa_process {
    int statm_fd;         /* /proc/self/statm; -1: cannot be read */
    bool sized;           /* the size of /proc/self/fd is the number of its entries (Linux 6.2) */
    uint64_t descriptors; /* as counted last, where it is not */
    int64_t next_ns;      /* not to be counted again before */
};
#define IXA_PROCESS_NONE ((struct ixa_process){.statm_fd = -1})

/* Opens what is read at each packet. A system that does not tell is no error: that figure is 0. */
void ixa_process_open(struct ixa_process *p);
void ixa_process_close(struct ixa_process *p);

/* Reads all figures; 20 to 40 us with 100 threads. Where descriptors have to be counted one by one
 * (before Linux 6.2) that takes up to 1 ms for some thousands of them; it is then done only so
 * often that it takes 1 % of the time at most, and the last count is given in between. */
void ixa_process_read(struct ixa_process *p, const struct ixa_collections *collections,
                      int64_t now_ns, struct ix_process *out);

/* Resident pages out of the text of statm ("SIZE RESIDENT SHARED ..."); 0 if it is not such a text.
 */
uint64_t ixa_process_resident(const char *statm);
/* Entries of a directory but "." and ".."; -1 if it cannot be read. The descriptor that this takes
 * is not counted if the directory is the process's own list of them. */
int64_t ixa_process_entries(const char *path);

#endif
