/* Several processes that compute one matrix, on one machine or on more: the ranks that mpirun started.
 *
 * All that talks to MPI is behind these functions: in ranks_mpi.c when built with MPI=1, else in
 * ranks_single.c, where there is one rank, 0. Rank 0 is the program that the user sees: it alone
 * prints, writes files, and decides. The others do what it does up to the profiles, agree with it
 * on those, compute what they ask it for, and wait for its end. A rank that cannot go on ends all:
 * with a message of its own, or, if it died, by mpirun. The order of calls is
 *
 *     rank 0                                   other ranks
 *     start                                    start
 *     agree                                    agree
 *     [call serve served sum] again and again  [called ask... sum] until called is false
 *     end                                      end
 *
 * and any of it may be left out up to the end. Waiting takes no processor's time. One thread calls.
 */
#ifndef ROXI_RANKS_H
#define ROXI_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/error.h"

/* 0: go on; 1: end in silence, with success: another process reports; -1: mpirun started what cannot
 * work together. Where OMP_NUM_THREADS does not say how many threads this rank has, each processor
 * is divided among those ranks that may use it. */
int roxi_ranks_start(int argc, char **argv, struct ix_error *err);

unsigned roxi_ranks_count(void); /* 1 unless mpirun started more */
unsigned roxi_ranks_mine(void);  /* from 0 */
unsigned roxi_ranks_threads(void); /* of all ranks together, that MPI's ranks have; else 0 */

/* What a rank sees of the campaign, as numbers that must be the same everywhere. */
struct roxi_view {
    uint64_t executions; /* how many */
    uint64_t prints;     /* of what was seen in them (fingerprint.h) */
    uint64_t order;      /* of the numbers that its groups and stacks have */
};

/* Is everything the same everywhere: the program, its arguments, the view? `mine` is NULL where it
 * came to none; *err says why. -1: no; at rank 0 *err says what; elsewhere it is empty, and there is
 * nothing left to do but to end. */
int roxi_ranks_agree(const struct roxi_view *mine, struct ix_error *err);

/* Rank 0 calls all others for a round of computing, with some bytes. */
void roxi_ranks_call(const void *bytes, size_t len);
/* The others await that. False: they are not needed any more. */
bool roxi_ranks_called(void *bytes, size_t len);

/* A part of a round's work. */
struct roxi_share {
    uint64_t group, from, to; /* of the group's call stacks */
    bool whole;               /* all of the group, only what is fresh of it */
    double work;
};

/* Rank 0 answers what the others ask, in a thread of its own: take() finds the next share, or
 * returns false, which ends the round for the one that asked; `interrupted`: a signal reached that
 * one. Between here and roxi_ranks_served rank 0 calls nothing else of this. */
typedef bool roxi_take(void *user, bool interrupted, struct roxi_share *share);
int roxi_ranks_serve(roxi_take *take, void *user, struct ix_error *err);
/* Waits until all others were told that the round is over; with `give_up`, for nothing. */
void roxi_ranks_served(bool give_up);
/* The others ask. False: nothing more in this round. */
bool roxi_ranks_ask(bool interrupted, struct roxi_share *share);

/* Adds what all ranks have in these cells up in those of rank 0. The order of adding is MPI's. */
void roxi_ranks_sum(double *cells, size_t n);

/* The program's end: returns its exit status. At rank 0 the message was printed; another rank prints
 * its own, if it has one, with the name of the command (or NULL), and ends all. */
int roxi_ranks_end(int status, const char *command, const char *message);

#endif
