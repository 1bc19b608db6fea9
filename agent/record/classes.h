/* SPDX-License-Identifier: Apache-2.0 */
/* The classes of known methods: their numbers in the log, and whether those are still valid.
 *
 * Each is kept by a weak reference, so it can be unloaded. Before a class is first used in a
 * snapshot, it is checked that it is alive and has not been redefined; if not, it is dropped
 * together with all that was read of its methods. HotSpot counts redefinitions for reflection, in a
 * field of java.lang.Class that JDK 17 to 25 have. If the field is missing, each class is dropped
 * every IXA_CLASS_TRUSTED snapshots and read again.
 *
 * Places count from 1 and stay valid until ixa_classes_sweep. Agent thread only. */
#ifndef IX_AGENT_CLASSES_H
#define IX_AGENT_CLASSES_H

#include <jvmti.h>

#include "schema/base/bytes.h"
#include "schema/base/idmap.h"
#include "schema/tracelog/writer.h"

#define IXA_CLASS_TRUSTED 64

struct ixa_class {
    jweak ref;
    uint32_t log;     /* class number in the log */
    uint32_t next;    /* place of another class with this number: same name, another loader */
    uint32_t checked; /* snapshot in which it was last found valid */
    uint32_t moved;   /* during a sweep: its place afterwards; 0: none */
    jint redefined;   /* how often it had been redefined when it was added */
    bool dropped;
};

struct ixa_classes {
    jvmtiEnv *ti;
    struct ix_log_writer *log;
    jfieldID redefined;     /* Class.classRedefinedCount, or NULL */
    struct ixa_class *list; /* owned */
    size_t count, capacity;
    struct ix_idmap by_log;     /* class number -> place of the newest */
    uint32_t snapshot;          /* counts snapshots; incremented by the owner of this struct */
    size_t dropped;             /* dropped entries still in the list */
    size_t changed;             /* total found redefined; counted only if the JVM counts
                                 * redefinitions */
    struct ix_out name, source; /* scratch */
};

void ixa_classes_init(struct ixa_classes *c, jvmtiEnv *ti, JNIEnv *jni, struct ix_log_writer *log);
/* Forgets all classes and frees the memory; can be used again at once. jni NULL: the JVM is
 * shutting down, and the references are left to it. */
void ixa_classes_forget(struct ixa_classes *c, JNIEnv *jni);
size_t ixa_classes_memory(const struct ixa_classes *c); /* bytes, approximately. O(1) */

/* False if the class at this place was unloaded or redefined, or was dropped earlier. O(1); asks
 * the JVM only once per snapshot. */
bool ixa_classes_current(struct ixa_classes *c, JNIEnv *jni, uint32_t place);
/* Drops all classes that were unloaded, used or not. O(classes), 20 ns each. */
void ixa_classes_check_all(struct ixa_classes *c, JNIEnv *jni);

/* Returns the class's place; adds a new class. 0 on failure: *unknown if the JVM cannot tell the
 * name or has no reference left, otherwise memory ran out or the log failed. */
uint32_t ixa_classes_place(struct ixa_classes *c, JNIEnv *jni, jclass class, bool *unknown);
static inline uint32_t ixa_classes_log(const struct ixa_classes *c, uint32_t place)
{
    return c->list[place - 1].log;
}

/* Removes the dropped classes in two steps. After the first, ixa_classes_moved returns each class's
 * place after the second, 0 for a dropped one. O(classes). */
void ixa_classes_plan(struct ixa_classes *c);
static inline uint32_t ixa_classes_moved(const struct ixa_classes *c, uint32_t place)
{
    return c->list[place - 1].moved;
}
void ixa_classes_sweep(struct ixa_classes *c, JNIEnv *jni);

#endif
