/* SPDX-License-Identifier: Apache-2.0 */
/* The main loop of the agent's thread: waits for requests, takes snapshots, says goodbye. */
#ifndef IX_AGENT_LOOP_H
#define IX_AGENT_LOOP_H

#include "agent/record/recorder.h"
#include "agent/settings/options.h"

/* What a GOODBYE says. */
struct ixa_farewell {
    enum ix_goodbye_reason reason;
    enum ix_test_verdict verdict;
    char text[IX_REASON_MAX + 1];
    bool last; /* the log is complete */
};

struct ixa_loop {
    const struct ixa_options *options;
    struct ix_hello *who; /* the loop enters the run that the server names */
    bool is_test;         /* options->execution is a test, not a run */
    struct ixa_recorder_config recorder;
    int stop_fd; /* readable: stop at once */
    /* Called before the first call into the JVM and before each HELLO. False: the JVM is shutting
     * down; do neither. */
    bool (*may_begin)(void);
    /* Called when stop_fd is readable: what to report to the server. */
    void (*why)(struct ixa_farewell *farewell);
    /* Called when a session has begun and there is a log, or (false) when that has not happened for
     * so long that nobody should wait for it any more. */
    void (*reached)(bool recording);
    /* Called before the log is sent: threads that wait for the end must wait this much longer. */
    void (*sending)(uint32_t ms);
};

/* Runs with these settings. Returns when told to stop, when refused, or when the log cannot be
 * written. Makes no call into the JVM before may_begin has returned true. *recorder: NULL, or the
 * recorder to continue with; afterwards the one that was used, if any, which the caller owns. */
void ixa_loop_run(const struct ixa_loop *loop, JNIEnv *jni, struct ixa_recorder **recorder);

#endif
