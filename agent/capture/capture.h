/* SPDX-License-Identifier: Apache-2.0 */
/* Takes all call stacks of the JVM at one instant. Agent thread only. */
#ifndef IX_AGENT_CAPTURE_H
#define IX_AGENT_CAPTURE_H

#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

struct ixa_instant;
struct ixa_virtual;
struct ixa_stacks;

struct ixa_capture {
    jvmtiEnv *ti;
    jthread self;                 /* the agent's own thread, a global reference; never suspended */
    bool suspend;                 /* stop=suspend: needs can_suspend */
    struct ixa_virtual *virtuals; /* virtual threads to walk as well; NULL: none */
    struct ixa_instant *instant;  /* for when the stop is; NULL: always at once */
    jint depth;                   /* most frames wanted of one stack */
    jint buffer;                  /* frames for each thread that GetAllStackTraces is currently
                                   * asked for */
    jint frames; /* limit on that for all threads together, beyond a few for each */
    /* stop=suspend: if set, called with the stacks while the threads are suspended, and again if
     * the stop has to be repeated. */
    void (*while_stopped)(void *context, JNIEnv *jni, const struct ixa_stacks *stacks);
    void *context;
    unsigned shallow; /* snapshots in a row for which a quarter of the buffer would have been
                       * enough */
};

/* All stacks at one instant, each with its executing frame first. */
struct ixa_stacks {
    jvmtiStackInfo *infos; /* JVMTI's memory; its threads are local references */
    jint count;
    jint virtual_count; /* the last ones in `infos` are virtual threads */
    bool borrowed;      /* the thread references belong to the caller */
    jint limit; /* a stack with this many frames (depth + 1, fewer with many threads) is or may
                 * be only a part of a deeper one */
    int64_t mono_ns, real_ns; /* right before the stop was requested */
    uint64_t stop_ns;         /* from then until the threads ran again */
};

/* suspend: use stop=suspend if the JVM allows it; otherwise use stop=safepoint and log that.
 * memory: in bytes; the JVM's buffers for a stop take at most half of it, plus 1 KiB for each
 * thread. */
void ixa_capture_init(struct ixa_capture *c, jvmtiEnv *ti, jthread self, bool suspend,
                      uint32_t depth, uint64_t memory);
/* Call between PushLocalFrame and PopLocalFrame. -1 if the JVM could not do it (out of memory, or
 * shutting down): there is no snapshot. A thread whose state is not ALIVE had already ended. */
int ixa_capture_take(struct ixa_capture *c, JNIEnv *jni, struct ixa_stacks *stacks);
/* The same for these threads only, which may include virtual ones, with stop=safepoint. The stacks
 * refer to the given references. With no thread to walk, nothing is stopped. */
int ixa_capture_walk(struct ixa_capture *c, JNIEnv *jni, const jthread *threads, jint count,
                     struct ixa_stacks *stacks);
void ixa_capture_release(struct ixa_capture *c, JNIEnv *jni, struct ixa_stacks *stacks);

#endif
