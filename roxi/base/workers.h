/* Jobs shared among threads, for work that waits for files and whose parts differ in size. (Loops
 * over numbers use OpenMP.) */
#ifndef ROXI_WORKERS_H
#define ROXI_WORKERS_H

#include <stddef.h>

/* `worker` is below the number of workers; one worker's jobs come in ascending order and never two
 * at a time. */
typedef void roxi_job(void *user, size_t worker, size_t job);

/* How many workers to take for that many jobs: `wanted`, or 0 for as many as there are processors
 * (OMP_NUM_THREADS limits them), but no more than jobs; at least 1. */
size_t roxi_workers(size_t wanted, size_t jobs);

/* Runs jobs 0 to count - 1, each begun in that order, on so many workers, of which the caller is
 * the first; where threads cannot be made, on fewer. Returns when all are done. */
void roxi_workers_run(size_t workers, size_t count, roxi_job *run, void *user);

#endif
