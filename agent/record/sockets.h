/* SPDX-License-Identifier: Apache-2.0 */
/* The stream sockets of the process, found by looking at some descriptors for each packet; which
 * thread was last seen on each, and what went over it (traffic.h). Writes to the trace log what has
 * changed. Independent of the
 * JVM.
 *
 * Each packet costs at most SOCKETS_LOOKED descriptors (sockets.c), in turn, and half as many while
 * nothing changes: all of them in a process with few, every few packets in one with hundreds.
 * Descriptors above SOCKETS_END are not looked at; those behind SOCKETS_BEYOND closed ones only up
 * to the highest on which a thread was seen. Of those that are known and connected, the traffic of
 * at most SOCKETS_HEARD is looked at for each packet, in turn; one over which nothing went in its
 * last turns misses some. What went over one between its last turn and its end is not told. */
#ifndef IX_AGENT_SOCKETS_H
#define IX_AGENT_SOCKETS_H

#include <stddef.h>

#include "agent/record/calls.h"
#include "schema/tracelog/writer.h"

struct ixa_socket; /* one that is known */

struct ixa_sockets {
    struct ixa_socket **known; /* owned; by descriptor; NULL: none */
    int room;                  /* of `known` */
    int top;                   /* one above the highest of them that is a socket */
    int end;                   /* one above the highest descriptor that was open */
    int next;                  /* the descriptor to look at next */
    int news;                  /* changes in this turn */
    bool calm;                 /* there were none in the last turn, nor in this one so far */
    int next_heard;            /* the one whose traffic to look at next */
    int own;                   /* one above the agent's own descriptor, not looked at; 0: none */
    size_t count;
    bool missed;   /* in this turn: one that there was no room for */
    bool complete; /* the last turn has ended in this part, and has left out none */
    bool begun;    /* a turn has ended: what is found now was opened since */
};

void ixa_sockets_free(struct ixa_sockets *s);
/* The log begins a new part: all known sockets are written again. */
void ixa_sockets_forget(struct ixa_sockets *s);

/* A thread waits on the descriptor, if it is that of a stream socket: its key is the last one seen.
 * Key 0: forget who was. */
void ixa_sockets_seen(struct ixa_sockets *s, int fd, uint64_t key);

/* Looks at the next descriptors, and writes to the log which are new, gone, or have another thread.
 * `number` gives the log's number of a thread, 0 if it is not in the snapshot. -1 when the log
 * failed. */
int ixa_sockets_look(struct ixa_sockets *s, struct ix_log_writer *log,
                     uint32_t (*number)(const void *threads, uint64_t key), const void *threads);

/* Writes to the log what went over the next connections. -1 when the log failed. */
int ixa_sockets_hear(struct ixa_sockets *s, struct ix_log_writer *log);

#endif
