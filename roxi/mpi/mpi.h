/* SPDX-License-Identifier: Apache-2.0 */
/* Several processes that compute one matrix, on one machine or more: the ranks that mpirun
 * started.
 *
 * Everything that uses MPI is behind these functions: in open_mpi.c when built with MPI=1, else in
 * single.c, where there is only rank 0. Rank 0 is the program that the user sees: it alone prints,
 * writes files, and decides. The other ranks do the same as rank 0 until they have the profiles,
 * check that theirs are the same, compute what rank 0 asks for, and wait for its end. A rank that
 * cannot continue ends all ranks: with its own message, or, if it died, through mpirun. The order
 * of calls is
 *
 *     rank 0                                   other ranks
 *     start                                    start
 *     agree                                    agree
 *     [call serve served sum] again and again  [called ask... sum] until called is false
 *     end                                      end
 *
 * and any rank may go straight to the end. Waiting uses no processor time. Call these functions
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
 * rank, each processor is divided among the ranks that may use it. */
int roxi_mpi_start(int argc, char **argv, struct ix_error *err);

unsigned roxi_mpi_ranks(void);   /* 1 unless mpirun started more */
unsigned roxi_mpi_rank(void);    /* from 0 */
unsigned roxi_mpi_threads(void); /* total of all MPI ranks; 0 without MPI */

/* What a rank sees of the campaign, as numbers that must be the same on all ranks. */
struct roxi_view {
    uint64_t executions; /* number of runs */
    uint64_t prints;     /* fingerprint of their contents (fingerprint.h) */
    uint64_t order;      /* fingerprint of the order of groups and stacks */
};

/* Checks that all ranks have the same program, arguments and view. `mine` is NULL on a rank that
 * failed to get a view; *err has the reason. -1: they differ; on rank 0 *err describes the
 * difference; elsewhere it is empty, and the rank can only end. */
int roxi_mpi_agree(const struct roxi_view *mine, struct ix_error *err);

/* Rank 0 calls all others for a round of computing, and sends them some bytes. */
void roxi_mpi_call(const void *bytes, size_t len);
/* The other ranks wait for that call. False: they are no longer needed. */
bool roxi_mpi_called(void *bytes, size_t len);

/* An item of a round's work. */
struct roxi_work_item {
    uint64_t group, from, to; /* of the group's call stacks */
    bool whole;               /* a complete group, only its fresh members */
    double work;
};

/* Rank 0 answers the requests of the others, in a separate thread: take() finds the next item,
 * or returns false, which ends the round for the rank that asked; `interrupted`: that rank
 * received a signal. Until roxi_mpi_served, rank 0 must call nothing else of mpi.h. */
typedef bool roxi_take(void *user, bool interrupted, struct roxi_work_item *share);
int roxi_mpi_serve(roxi_take *take, void *user, struct ix_error *err);
/* Waits until all others know that the round is over; does not wait with `give_up`. */
void roxi_mpi_served(bool give_up);
/* The other ranks ask for an item. False: none left in this round. */
bool roxi_mpi_ask(bool interrupted, struct roxi_work_item *share);

/* Adds up the cells of all ranks in those of rank 0. MPI chooses the order of adding. */
void roxi_mpi_sum(double *cells, size_t n);

/* Ends MPI and returns the program's exit status. Rank 0 has printed its message; another rank
 * prints its own, if it has one, with the name of the command (or NULL), and aborts all ranks. */
int roxi_mpi_end(int status, const char *command, const char *message);

#endif
