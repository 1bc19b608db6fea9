/* SPDX-License-Identifier: Apache-2.0 */
/* The course of one call of COMMAND by `ixor run`: its start, its time-out, its end, and the last
 * goodbyes of its JVMs. */
#ifndef IXOR_COURSE_H
#define IXOR_COURSE_H

#include <event2/event.h>
#include <time.h>

#include "server/commands/driver.h"
#include "server/commands/pauser.h"
#include "server/launch/child.h"
#include "server/session/burst.h"

/* Zero but for `driver` before ixor_course_start, which expects these to be filled in: name, dir,
 * output, execution, disturbed, pauser. */
struct ixor_course {
    struct ixor_driver *driver;
    struct ixor_at_hand at_hand;
    struct ixor_execution *execution; /* NULL: the runs are those of its tests */
    struct ixor_child *child;
    struct event *timeout, *goodbye;
    char name[IXOR_SERIES_NAME];
    char *dir, *output;         /* owned; output NULL: shown */
    int64_t begin_ns, ended_ns; /* wall clock, of the command; durations use the monotonic clock */
    uint64_t began_ns;          /* monotonic clock */
    struct timespec began_file; /* clock of files */
    bool disturbed;
    struct ixor_pauser *pauser; /* owned; NULL: none of its JVMs is paused */
    struct ixor_burst *burst;   /* owned; NULL: there is none */
    bool timed_out, gone, over;
    unsigned notes;
};

/* Notes the time. */
void ixor_course_begin(struct ixor_course *c);
/* Starts the command; from then on, until ixor_course_free, it is at hand. 0 or -1. */
int ixor_course_start(struct ixor_course *c, struct ix_error *err);
/* Runs the event loop until the command, its processes and the sessions of its JVMs have ended. */
void ixor_course_wait(struct ixor_course *c);
void ixor_course_free(struct ixor_course *c);

#endif
