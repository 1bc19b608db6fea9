/* Who the threads are: their logical start, their number in the trace log, their names.
 *
 * A thread is known by Java's thread id, which can be read even after its end; its logical start is
 * counted by its ThreadStart event (starts.h), or when a snapshot sees it before that. A virtual
 * thread's logical start is its Java id, which is given in the order of creation: so it has the
 * same one whenever it is seen, and platform threads have the numbers they would have without
 * virtual ones.
 */
#ifndef IX_AGENT_THREADS_H
#define IX_AGENT_THREADS_H

#include <jvmti.h>

#include "agent/idmap.h"
#include "agent/starts.h"
#include "schema/bytes.h"
#include "schema/tracelog_writer.h"

/* Thread.tid, Java's thread id, in whatever class library; NULL if it has none. */
jfieldID ixa_threads_id_field(JNIEnv *jni);
/* At VMInit: numbers the threads that run already, in the order of their Java ids. */
void ixa_threads_running(struct ixa_starts *starts, jvmtiEnv *ti, JNIEnv *jni, jfieldID id);

struct ixa_threads {
    jvmtiEnv *ti;
    struct ixa_starts *starts;
    struct ix_log_writer *log;
    jfieldID tid;               /* Thread.tid */
    uint64_t self;              /* the agent thread's key */
    struct ixa_thread *list;    /* owned: the threads of the last snapshot, and virtual ones that
                                   were seen before and may be mounted again */
    size_t count, capacity;
    size_t met;                 /* of them in the present snapshot */
    struct ixa_idmap by_key;    /* key -> place in the list, from 1 */
    uint32_t numbered;          /* log numbers given out */
    uint32_t snapshot;          /* counts snapshots */
    uint64_t starts_before;     /* starts->count right before the stop */
    int64_t shown;              /* different threads in any snapshot, of those counted by then */
    int64_t shown_later;        /* ... and those that started after that */
    int64_t missed_told;        /* sum of what ixa_threads_end returned */
    struct ix_out name, group, parent; /* scratch */
};

/* On the agent thread, which is left out of every snapshot. */
void ixa_threads_init(struct ixa_threads *t, jvmtiEnv *ti, JNIEnv *jni, jthread self,
                      jfieldID id, struct ixa_starts *starts, struct ix_log_writer *log);
void ixa_threads_free(struct ixa_threads *t);
/* The log begins a new part: numbers and definitions are given anew; who started when, and who was
 * shown, stays known. */
void ixa_threads_forget(struct ixa_threads *t);
size_t ixa_threads_memory(const struct ixa_threads *t); /* bytes, about */

/* Before the stop. */
void ixa_threads_begin(struct ixa_threads *t);
/* A thread of the snapshot: its log number, defined in the log if it is new or its name is due to
 * be read again; 0 if it is to be left out (the agent's own, or out of memory). */
uint32_t ixa_threads_number(struct ixa_threads *t, JNIEnv *jni, jthread thread, bool is_virtual);
/* The log number of a thread (by Java's thread id) of this snapshot or the one before, else 0. */
uint32_t ixa_threads_find(const struct ixa_threads *t, uint64_t key);
/* After the last one: forgets the threads that are gone; returns how many threads lived and ended
 * since the snapshot before without being in one. */
uint64_t ixa_threads_end(struct ixa_threads *t);

#endif
