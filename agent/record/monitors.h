/* SPDX-License-Identifier: Apache-2.0 */
/* The monitors of one packet, and which threads own, enter and wait on them: what locks.h has
 * found.
 *
 * At most 512 monitors and 2,048 relations for each packet; the others are left out.
 *
 * Agent thread only. */
#ifndef IX_AGENT_MONITORS_H
#define IX_AGENT_MONITORS_H

#include <jvmti.h>
#include <stdbool.h>

#include "agent/capture/threads.h"
#include "agent/record/names.h"

#define IXA_MONITORS 512u
#define IXA_FOUND 2048u

/* A thread and a monitor. */
struct ixa_found {
    uint64_t key;           /* Java's thread id */
    enum ix_lock_kind kind; /* OWNS, ENTERS or WAITS */
    jint depth;             /* see struct ix_lock */
    bool lasts;             /* ENTERS: the owner is wanted */
    uint32_t object;        /* the monitor's number, from 1 */
};

/* All zero: empty. */
struct ixa_monitors {
    jobject objects[IXA_MONITORS]; /* local references */
    bool owned[IXA_MONITORS];      /* an owner has been found */
    uint32_t object_count;
    struct ixa_found found[IXA_FOUND];
    size_t found_count;
    bool full; /* something was left out */
};

/* Adds a relation, with the monitor's number. Takes over the reference. O(monitors). */
void ixa_monitors_add(struct ixa_monitors *m, JNIEnv *jni, jobject object,
                      const struct ixa_found *found);
/* True if the owner of a monitor is wanted and has not been found. */
bool ixa_monitors_owner_missing(const struct ixa_monitors *m);
/* ... of this one. */
bool ixa_monitors_owner_missing_of(const struct ixa_monitors *m, JNIEnv *jni, jobject object);
/* Empties it. jni NULL: the references are gone already. */
void ixa_monitors_clear(struct ixa_monitors *m, JNIEnv *jni);
/* Writes the relations of threads that are in `threads`, and which threads they join. -1 when the
 * log failed. */
int ixa_monitors_write(struct ixa_monitors *m, jvmtiEnv *ti, JNIEnv *jni, struct ixa_names *names,
                       const struct ixa_threads *threads, struct ix_log_writer *log);

#endif
