/* SPDX-License-Identifier: Apache-2.0 */
/* Several processes, started by mpirun on one machine or more, that compute one matrix. MPI calls a
 * process's number its rank; here that word is for the ranking of runs (roxi/rank).
 *
 * Everything that uses MPI is behind these functions: in open_mpi.c when built with MPI=1, else in
 * single.c, where there is only process 0. Process 0 is the program that the user sees: it alone
 * prints, writes files, and decides. The others do the same as process 0 until they have the
 * profiles, check that theirs are the same, compute what process 0 asks for, and wait for its end.
 * A process that cannot continue ends them all: with its own message, or, if it died, through
 * mpirun. The order of calls is
 *
 *     process 0                                   other processes
 *     start                                    start
 *     agree                                    agree
 *     [call serve served sum] again and again  [called ask... sum] until called is false
 *     end                                      end
 *
 * and any process may go straight to the end. Waiting uses no processor time. Call these functions
 * from one thread only.
 */
#ifndef ROXI_MPI_H
#define ROXI_MPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/base/error.h"

/* 0: continue; 1: end silently with success, because another process reports; -1: mpirun started
 * processes that cannot work together. Unless OMP_NUM_THREADS sets the number of threads of this
 * process, each processor is divided among the processes that may use it. */
int roxi_mpi_start(int argc, char **argv, struct ix_error *err);

unsigned roxi_mpi_processes(void); /* 1 unless mpirun started more */
unsigned roxi_mpi_process(void);   /* from 0 */
unsigned roxi_mpi_threads(void);   /* total of all processes; 0 without MPI */

/* What a process sees of the campaign, as numbers that must be the same on all processes. */
struct roxi_view {
    uint64_t executions; /* number of runs */
    uint64_t prints;     /* fingerprint of their contents (fingerprint.h) */
    uint64_t order;      /* fingerprint of the order of groups and stacks */
};

/* Checks that all processes have the same program, arguments and view. `mine` is NULL on a process
 * that failed to get a view; *err has the reason. -1: they differ; on process 0 *err describes the
 * difference; elsewhere it is empty, and the process can only end. */
int roxi_mpi_agree(const struct roxi_view *mine, struct ix_error *err);

/* Process 0 calls all others for a round of computing, and sends them some bytes. */
void roxi_mpi_call(const void *bytes, size_t len);
/* The other processes wait for that call. False: they are no longer needed. */
bool roxi_mpi_called(void *bytes, size_t len);

/* An item of a round's work. */
struct roxi_work_item {
    uint64_t group, from, to; /* of the group's call stacks */
    bool whole;               /* a complete group, only its fresh members */
    double work;
};

/* Process 0 answers the requests of the others, in a separate thread: take() finds the next item,
 * or returns false, which ends the round for the process that asked; `interrupted`: that process
 * received a signal. Until roxi_mpi_served, process 0 must call nothing else of mpi.h. */
typedef bool roxi_take(void *user, bool interrupted, struct roxi_work_item *item);
int roxi_mpi_serve(roxi_take *take, void *user, struct ix_error *err);
/* Waits until all others know that the round is over; does not wait with `give_up`. */
void roxi_mpi_served(bool give_up);
/* The other processes ask for an item. False: none left in this round. */
bool roxi_mpi_ask(bool interrupted, struct roxi_work_item *item);

/* Adds up the cells of all processes in those of process 0. MPI chooses the order of adding. */
void roxi_mpi_sum(double *cells, size_t n);

/* Ends MPI and returns the program's exit status. Process 0 has printed its message; another
 * process prints its own, if it has one, with the name of the command (or NULL), and aborts all
 * processes. */
int roxi_mpi_end(int status, const char *command, const char *message);

#endif
