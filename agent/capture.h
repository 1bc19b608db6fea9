/* Takes all call stacks of the JVM at one instant. Agent thread only. */
#ifndef IX_AGENT_CAPTURE_H
#define IX_AGENT_CAPTURE_H

#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

struct ixa_capture {
    jvmtiEnv *ti;
    jthread self;  /* the agent's own thread, a global reference; never suspended */
    bool suspend;  /* stop=suspend: needs can_suspend */
    jint depth;    /* most frames that are wanted */
    jint buffer;   /* frames that GetAllStackTraces is asked for now */
    unsigned shallow; /* snapshots in a row that would have done with a quarter of the buffer */
};

/* All stacks at one instant, the executing frame first. */
struct ixa_stacks {
    jvmtiStackInfo *infos; /* JVMTI's memory; its threads are local references */
    jint count;
    bool borrowed; /* the threads are the caller's references */
    jint limit; /* a stack of so many frames (depth + 1, unless there are very many threads) is or
                   may be a part of a deeper one */
    int64_t mono_ns, real_ns; /* right before the stop was asked for */
    uint64_t stop_ns;         /* from then until the threads ran again */
};

/* Tells -Xcheck:jni of the references that JVMTI is about to make or has made, beyond the 64 that the
 * agent itself needs at most. */
void ixa_capture_reserve(JNIEnv *jni, jint references);
void ixa_capture_init(struct ixa_capture *c, jvmtiEnv *ti, jthread self, bool suspend,
                      uint32_t depth);
/* Call between PushLocalFrame and PopLocalFrame. -1 if the JVM could not do it (out of memory, on
 * its way out): there is no snapshot then. */
int ixa_capture_take(struct ixa_capture *c, JNIEnv *jni, struct ixa_stacks *stacks);
/* The same for these threads only, with stop=safepoint. Their stacks come with the references that
 * are given; a thread that has ended has a state that is not ALIVE. count 0: nothing is stopped. */
int ixa_capture_walk(struct ixa_capture *c, JNIEnv *jni, const jthread *threads, jint count,
                     struct ixa_stacks *stacks);
void ixa_capture_release(struct ixa_capture *c, JNIEnv *jni, struct ixa_stacks *stacks);

#endif
