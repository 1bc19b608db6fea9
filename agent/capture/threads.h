/* SPDX-License-Identifier: Apache-2.0 */
/* Identifies threads: their logical start, their number in the trace log, their names.
 *
 * A thread is identified by Java's thread id, which can be read even after it has ended. Its
 * logical start is assigned by its ThreadStart event (starts.h), or by the first snapshot that sees
 * it, if that is earlier. A virtual thread's logical start is its Java id, which is assigned in the
 * order of creation: so it does not depend on when the thread is first seen, and platform threads
 * keep the numbers that they would have without virtual threads. */
#ifndef IX_AGENT_THREADS_H
#define IX_AGENT_THREADS_H

#include <jvmti.h>

#include "agent/capture/starts.h"
#include "schema/base/bytes.h"
#include "schema/base/idmap.h"
#include "schema/tracelog/writer.h"

/* The field Thread.tid, Java's thread id, of any class library; NULL if there is none. */
jfieldID ixa_threads_id_field(jvmtiEnv *ti, JNIEnv *jni);
/* At VMInit: numbers the threads that are already running, in the order of their Java ids. */
void ixa_threads_running(struct ixa_starts *starts, jvmtiEnv *ti, JNIEnv *jni, jfieldID id);

struct ixa_threads {
    jvmtiEnv *ti;
    struct ixa_starts *starts;
    struct ix_log_writer *log;
    uint64_t test;           /* the log is that of this test; 0: of none */
    jfieldID tid;            /* Thread.tid */
    uint64_t self;           /* the agent thread's key */
    struct ixa_thread *list; /* owned: the threads of the last snapshot, and virtual threads seen
                              * earlier that may be mounted again */
    size_t count, capacity;
    size_t met;             /* how many of them are in the present snapshot */
    struct ix_idmap by_key; /* key -> index into `list`, plus 1 */
    uint32_t numbered;      /* log numbers assigned so far */
    uint32_t snapshot;      /* counts snapshots */
    uint64_t starts_before; /* starts->count right before the stop */
    int64_t shown;          /* distinct threads in any snapshot, among those counted by then */
    int64_t shown_later;    /* ... and among those that started later */
    int64_t missed_told;    /* sum of the results of ixa_threads_end */
    struct ix_out name, group, parent; /* scratch */
};

/* Call on the agent thread, which is left out of every snapshot. test: the JVM's test that the log
 * is about, as in ixa_starts_test; 0: none. */
void ixa_threads_init(struct ixa_threads *t, jvmtiEnv *ti, JNIEnv *jni, jthread self, jfieldID id,
                      struct ixa_starts *starts, uint64_t test, struct ix_log_writer *log);
void ixa_threads_free(struct ixa_threads *t);
/* The log begins a new part: numbers are assigned and threads are defined again. Logical starts,
 * and which threads have been in a snapshot, stay known. */
void ixa_threads_forget(struct ixa_threads *t);
size_t ixa_threads_memory(const struct ixa_threads *t); /* bytes, approximately */

/* Java's id of a thread, which also a thread that has ended has. */
uint64_t ixa_threads_key(const struct ixa_threads *t, JNIEnv *jni, jthread thread);
/* Call before the stop. */
void ixa_threads_begin(struct ixa_threads *t);
/* Returns the log number of a thread of the snapshot, after defining it in the log if it is new or
 * its name is due to be read again, or it is not left behind any more. stack: a hash of its stack,
 * or 0 if that is the one of the snapshot before, or if the log is not about a test. Returns 0 if
 * the thread must be left out (the agent's own, or out of memory). */
uint32_t ixa_threads_number(struct ixa_threads *t, JNIEnv *jni, jthread thread, bool is_virtual,
                            uint64_t stack);
/* The log number of a thread (by Java's thread id) of this or the previous snapshot, else 0. */
uint32_t ixa_threads_find(const struct ixa_threads *t, uint64_t key);
/* Call after the last thread: removes the threads that are gone, and returns how many threads
 * started and ended since the previous snapshot without being in one. */
uint64_t ixa_threads_end(struct ixa_threads *t);

#endif
