/* SPDX-License-Identifier: Apache-2.0 */
/* What a log contains but a thread dump does not, and roxi import needs to make the same log again:
 * lines in front of a dump, their fields separated by TABs. They state only what is new since the
 * JVM's dump before, and:
 *
 *     threads  N                               how many the dump has
 *     thread   #ID  GROUP                      the thread's group
 *     frame    PLACE  N  DESCRIPTOR  LINE      what "at PLACE" stands for; the N-th meaning, from 0
 *     variant  #ID  DEPTH  N                   in this dump, that frame of the thread (0:
 * executing) has the N-th meaning of its place, not the first one
 */
#ifndef ROXI_EXPORT_JSTACK_FACTS_H
#define ROXI_EXPORT_JSTACK_FACTS_H

#include <stdbool.h>
#include <stdio.h>

#include "schema/tracelog/intern.h"
#include "schema/tracelog/reader.h"

/* What has been said of a JVM; all zero: nothing. */
struct jstack_facts {
    uint32_t part;
    struct ix_intern places;
    uint32_t *meanings;   /* by place: how many; this and the following are owned */
    uint32_t *meaning_of; /* by frame's number: + 1; 0: it has not been said */
    bool *threads;        /* by thread's number: it has been said */
    size_t meaning_cap, frame_cap, thread_cap;
};

/* Writes what the dump of this snapshot needs. 0, or -1: out of memory. */
int jstack_facts_put(struct jstack_facts *facts, FILE *out, const struct ix_log_reader *log,
                     const struct ix_snapshot *snapshot);
/* Releases everything; the struct can be used again. */
void jstack_facts_forget(struct jstack_facts *facts);

/* "a.B.run(B.java:12)" */
void jstack_put_place(FILE *out, const struct ix_log_reader *log, struct ix_frame frame);

#endif
