/* The classes whose methods the names know: as what the log has them, and whether that still holds.
 *
 * Each is kept by a weak reference, so it can be unloaded. Before its first use in a snapshot it is
 * asked whether it lives and was not redefined; if not, it is dropped, and with it all that was
 * read of its methods. HotSpot counts redefinitions for the sake of reflection, in a field of
 * java.lang.Class that JDK 17 to 25 have. Where the field is missing, each class is dropped every
 * IXA_CLASS_TRUSTED snapshots and read again.
 *
 * Places count from 1 and hold until ixa_classes_sweep. Agent thread only. */
#ifndef IX_AGENT_CLASSES_H
#define IX_AGENT_CLASSES_H

#include <jvmti.h>

#include "agent/idmap.h"
#include "schema/bytes.h"
#include "schema/tracelog_writer.h"

#define IXA_CLASS_TRUSTED 64

struct ixa_class {
    jweak ref;
    uint32_t log;     /* class number in the log */
    uint32_t next;    /* place of another one with this number: same name, another loader */
    uint32_t checked; /* snapshot in which it was last found to hold */
    uint32_t moved;   /* during a sweep: its place afterwards; 0 none */
    jint redefined;   /* how often it had been redefined when it was entered */
    bool dropped;
};

struct ixa_classes {
    jvmtiEnv *ti;
    struct ix_log_writer *log;
    jfieldID redefined; /* Class.classRedefinedCount, or NULL */
    struct ixa_class *list; /* owned */
    size_t count, capacity;
    struct ixa_idmap by_log; /* class number -> place of the newest */
    uint32_t snapshot;       /* counts them; its owner adds one for each */
    size_t dropped;          /* of the list */
    size_t changed;          /* found redefined, in all; counted where the JVM counts */
    struct ix_out name, source; /* scratch */
};

void ixa_classes_init(struct ixa_classes *c, jvmtiEnv *ti, JNIEnv *jni, struct ix_log_writer *log);
/* Forgets all classes and takes no memory any more; can be used again at once. jni NULL: the JVM is
 * ending, its references are left to it. */
void ixa_classes_forget(struct ixa_classes *c, JNIEnv *jni);
size_t ixa_classes_memory(const struct ixa_classes *c); /* bytes, about. O(1) */

/* False if the class at this place was unloaded or redefined, or was dropped before. O(1), and asks
 * the JVM only once a snapshot. */
bool ixa_classes_current(struct ixa_classes *c, JNIEnv *jni, uint32_t place);
/* Drops those that were unloaded, also if nobody asks for them. O(classes), 20 ns each. */
void ixa_classes_check_all(struct ixa_classes *c, JNIEnv *jni);

/* The class's place, entered if it is new. 0 on failure: *unknown if the JVM cannot tell its name
 * or has no reference left, else memory ran out or the log failed. */
uint32_t ixa_classes_place(struct ixa_classes *c, JNIEnv *jni, jclass class, bool *unknown);
static inline uint32_t ixa_classes_log(const struct ixa_classes *c, uint32_t place)
{
    return c->list[place - 1].log;
}

/* Taking the dropped ones out, in two steps: after the first, ixa_classes_moved tells everybody's
 * place after the second, 0 for a dropped one. O(classes). */
void ixa_classes_plan(struct ixa_classes *c);
static inline uint32_t ixa_classes_moved(const struct ixa_classes *c, uint32_t place)
{
    return c->list[place - 1].moved;
}
void ixa_classes_sweep(struct ixa_classes *c, JNIEnv *jni);

#endif
