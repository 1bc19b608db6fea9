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
    /* Asked when stop_fd is readable: what to tell the server. *last: the log gets no more. */
    enum ix_goodbye_reason (*why)(const char **text, bool *last);
    /* Told before the log is sent: whoever waits for the end is to wait so much longer. */
    void (*sending)(uint32_t ms);
};

/* Works with these settings. Returns when told to stop, refused, or when the log cannot be written.
 * Calls nothing of the JVM before may_begin has said true. *recorder: NULL, or the one that is to
 * go on; afterwards the one that was used, if any, which is the caller's. */
void ixa_loop_run(const struct ixa_loop *loop, JNIEnv *jni, struct ixa_recorder **recorder);

#endif
