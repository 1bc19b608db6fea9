/* Takes snapshots and writes them into the trace log. Agent thread only. */
#ifndef IX_AGENT_RECORDER_H
#define IX_AGENT_RECORDER_H

#include "agent/capture.h"
#include "agent/options.h"
#include "agent/threads.h"
#include "schema/protocol.h"

struct ixa_recorder_config {
    jvmtiEnv *ti;
    jthread self; /* the agent thread; a global reference that outlives the recorder */
    bool suspend, walk_changed, verify; /* see options.h */
    uint32_t depth;
    uint64_t memory, maxlog; /* see bounds.h */
    jfieldID thread_id; /* Thread.tid */
    struct ixa_starts *starts;
    struct ixa_virtual *virtuals; /* NULL: no virtual threads */
    struct ixa_wanted_facts facts;
    const struct ix_hello *who; /* for the log's path and META; execution as the server named it */
};

struct ixa_recorder;

/* Creates the log. NULL if that fails. */
struct ixa_recorder *ixa_recorder_new(const struct ixa_recorder_config *config, JNIEnv *jni,
                                      struct ix_error *err);

/* Other settings for the same log; `who` is ignored. Agent thread, while nothing is being taken. */
void ixa_recorder_change(struct ixa_recorder *r, const struct ixa_recorder_config *config,
                         JNIEnv *jni);

enum ixa_recorded {
    IXA_RECORDED,
    IXA_NOT_TAKEN,  /* the JVM gave no stacks: this packet is lost, the next may come */
    IXA_LOG_FAILED, /* for good; ixa_recorder_error says why */
};

/* Stops all threads, lets them go, and then resolves and writes what was there. */
enum ixa_recorded ixa_recorder_take(struct ixa_recorder *r, JNIEnv *jni, uint64_t packet,
                                    struct ix_taken *taken);
const char *ixa_recorder_error(const struct ixa_recorder *r);

/* Closes the log, ends the events of virtual threads. jni NULL: the JVM is ending and is not called
 * any more. r may be NULL. */
void ixa_recorder_free(struct ixa_recorder *r, JNIEnv *jni);

#endif
