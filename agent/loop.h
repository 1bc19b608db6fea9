/* The life of the agent's thread: waits for requests, takes the packets, says goodbye. */
#ifndef IX_AGENT_LOOP_H
#define IX_AGENT_LOOP_H

#include "agent/options.h"
#include "agent/recorder.h"

struct ixa_loop {
    const struct ixa_options *options;
    struct ix_hello *who; /* the server's execution is entered here */
    struct ixa_recorder_config recorder;
    int stop_fd; /* readable: end at once */
    /* Asked before the first call into the JVM; false: the JVM is ending, make none. */
    bool (*may_begin)(void);
};

/* Returns when told to stop, refused, or when the log cannot be written. Calls nothing of the JVM
 * before may_begin has said true. */
void ixa_loop_run(const struct ixa_loop *loop, JNIEnv *jni);

#endif
