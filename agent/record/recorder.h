/* SPDX-License-Identifier: Apache-2.0 */
/* Takes snapshots and writes them to the trace log. Agent thread only. */
#ifndef IX_AGENT_RECORDER_H
#define IX_AGENT_RECORDER_H

#include "agent/capture/capture.h"
#include "agent/capture/threads.h"
#include "agent/settings/options.h"
#include "schema/protocol/protocol.h"

struct ixa_recorder_config {
    jvmtiEnv *ti;
    jthread self; /* the agent thread; a global reference that outlives the recorder */
    bool suspend, walk_changed, verify; /* see options.h */
    uint32_t depth;
    uint64_t memory, maxlog;     /* see bounds.h */
    struct ixa_instant *instant; /* borrowed: when to stop */
    jfieldID thread_id;          /* Thread.tid */
    struct ixa_starts *starts;
    uint64_t test;                /* the log is that of this test of the JVM; 0: of none */
    struct ixa_virtual *virtuals; /* NULL: no virtual threads */
    struct ixa_wanted_facts facts;
    const struct ix_hello *who; /* for the log's path and META, with the run that the server
                                 * named */
};

struct ixa_recorder;

/* Creates the log. NULL if that fails. */
struct ixa_recorder *ixa_recorder_new(const struct ixa_recorder_config *config, JNIEnv *jni,
                                      struct ix_error *err);

/* Applies new settings to the same log; `who` is ignored. Agent thread, between two packets. */
void ixa_recorder_change(struct ixa_recorder *r, const struct ixa_recorder_config *config,
                         JNIEnv *jni);

enum ixa_recorded {
    IXA_RECORDED,
    IXA_NOT_TAKEN,  /* the JVM returned no stacks: this packet is lost, the next may succeed */
    IXA_LOG_FAILED, /* permanent; ixa_recorder_error says why */
};

/* Stops all threads and resumes them, then resolves and writes what was captured. */
enum ixa_recorded ixa_recorder_take(struct ixa_recorder *r, JNIEnv *jni, uint64_t packet,
                                    struct ix_taken *taken);
/* After the last packet, while the JVM may be called: writes what was thrown since. r may be NULL.
 * If it fails, the log ends with that packet. */
void ixa_recorder_finish(struct ixa_recorder *r, JNIEnv *jni);
const char *ixa_recorder_error(const struct ixa_recorder *r);

/* Closes the log and frees everything. jni NULL: the JVM is shutting down and is not called. r may
 * be NULL. */
void ixa_recorder_free(struct ixa_recorder *r, JNIEnv *jni);

#endif
