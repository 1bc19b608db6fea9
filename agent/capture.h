/* Takes all call stacks of the JVM at one instant. Agent thread only. */
#ifndef IX_AGENT_CAPTURE_H
#define IX_AGENT_CAPTURE_H

#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

struct ixa_virtual;
struct ixa_stacks;

struct ixa_capture {
    jvmtiEnv *ti;
    jthread self;  /* the agent's own thread, a global reference; never suspended */
    bool suspend;  /* stop=suspend: needs can_suspend */
    struct ixa_virtual *virtuals; /* virtual threads are walked, too; NULL: none */
    jint depth;    /* most frames that are wanted */
    jint buffer;   /* frames that GetAllStackTraces is asked for now */
    /* stop=suspend: called with the stacks while the threads are suspended, if set; once more if the
     * stop has to be taken again. */
    void (*while_stopped)(void *context, JNIEnv *jni, const struct ixa_stacks *stacks);
    void *context;
    unsigned shallow; /* snapshots in a row that would have done with a quarter of the buffer */
};

/* All stacks at one instant, the executing frame first. */
struct ixa_stacks {
    jvmtiStackInfo *infos; /* JVMTI's memory; its threads are local references */
    jint count;
    jint virtual_count; /* the last ones are virtual threads */
    bool borrowed; /* the threads are the caller's references */
    jint limit; /* a stack of so many frames (depth + 1, unless there are very many threads) is or
                   may be a part of a deeper one */
    int64_t mono_ns, real_ns; /* right before the stop was asked for */
    uint64_t stop_ns;         /* from then until the threads ran again */
};

/* Tells -Xcheck:jni of the references that JVMTI is about to make or has made, beyond the 64 that
 * the agent itself needs at most. */
void ixa_capture_reserve(JNIEnv *jni, jint references);
/* suspend: stop=suspend where the JVM allows it, else stop=safepoint, and the user is told. */
void ixa_capture_init(struct ixa_capture *c, jvmtiEnv *ti, jthread self, bool suspend,
                      uint32_t depth);
/* Call between PushLocalFrame and PopLocalFrame. -1 if the JVM could not do it (out of memory, on
 * its way out): there is no snapshot then. A thread whose state is not ALIVE had ended by then. */
int ixa_capture_take(struct ixa_capture *c, JNIEnv *jni, struct ixa_stacks *stacks);
/* The same for these threads only, and virtual ones, with stop=safepoint. Their stacks come with
 * the references that are given. Nobody to walk: nothing is stopped. */
int ixa_capture_walk(struct ixa_capture *c, JNIEnv *jni, const jthread *threads, jint count,
                     struct ixa_stacks *stacks);
void ixa_capture_release(struct ixa_capture *c, JNIEnv *jni, struct ixa_stacks *stacks);

#endif
