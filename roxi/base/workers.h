/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs shared among threads, for work that waits for files and whose parts differ in size.
 * (Numeric loops use OpenMP.) */
#ifndef ROXI_WORKERS_H
#define ROXI_WORKERS_H

#include <stddef.h>

/* `worker` is less than the number of workers; one worker runs its jobs in ascending order, one
 * at a time. */
typedef void roxi_job(void *user, size_t worker, size_t job);

/* How many workers to use for this many jobs: `wanted`, or if that is 0 as many as there are
 * processors (limited by OMP_NUM_THREADS), but no more than jobs; at least 1. */
size_t roxi_workers(size_t wanted, size_t jobs);

/* Runs jobs 0 to count - 1, started in that order, on this many workers, the first of which is
 * the caller; on fewer if threads cannot be created. Returns when all are done. */
void roxi_workers_run(size_t workers, size_t count, roxi_job *run, void *user);

#endif
