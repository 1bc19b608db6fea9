/* SPDX-License-Identifier: Apache-2.0 */
/* invocations=on: how often the application's methods were called (counters.h). A method that takes
 * no time is hardly ever on a call stack; that it was called for the first time, or not any more,
 * or half as often as another one, is seen here.
 *
 * The application's are the methods of classes that were not loaded by the JVM's own loader and are
 * not in a package of the Java platform; not those of hidden classes, such as lambdas' (the code of
 * a lambda is a method of the class that contains it). So many methods at most, those of the
 * classes that were loaded first; some of them are looked at after each packet, in turn, and what
 * was called since the look before is written. No class is kept alive. The lock is held briefly and
 * never across a call into the JVM.
 *
 * META `invocations-left-out` in the log says that there were more classes. */
#ifndef IX_AGENT_INVOCATIONS_H
#define IX_AGENT_INVOCATIONS_H

#include <jvmti.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/record/counters.h"
#include "agent/record/names.h"
#include "schema/base/idmap.h"
#include "schema/tracelog/writer.h"

#define IXA_INVOCATIONS_METHODS 8192u
#define IXA_INVOCATIONS_OF_CLASS 512u
/* The JVM never frees the ids of a class's methods (JDK-8268406), about 9 bytes each. After so many
 * of classes that were unloaded, no class is added any more: a program may load classes for ever.
 */
#define IXA_INVOCATIONS_LOST 65536u
#define IXA_INVOCATIONS_FRESH 4096u /* classes that were prepared and not looked at yet */
#define IXA_INVOCATIONS_ADOPTS 64u  /* of them a packet, about 5 us each */
#define IXA_INVOCATIONS_NAMES 64u   /* methods a packet that are written for the first time */
/* A round of looks at all methods takes so many packets, more if there are many methods. */
#define IXA_INVOCATIONS_ROUND 8u
#define IXA_INVOCATIONS_LOOKS_MIN 64u /* a packet; at most IXA_COUNTERS_BATCH */

struct ixa_counted {
    jmethodID id;
    uint32_t class; /* place in the classes */
    uint32_t log;   /* number in the log; 0: none in this part */
    uint32_t calls; /* as written, */
    bool at_least;  /* likewise */
};

struct ixa_invocations {
    _Atomic bool on;
    pthread_mutex_t lock;
    /* Protected by the lock; owned, NULL while off: */
    jweak *fresh;
    size_t fresh_count;
    uint64_t missed; /* classes for which there was no room */
    /* Of the agent's thread; owned: */
    struct ixa_counters counters;

    jweak *classes; /* NULL: unloaded */
    size_t class_count, class_cap, unloaded;
    struct ixa_counted *methods; /* by class */
    size_t count, cap, next;     /* next: whose turn it is */
    struct ix_idmap first;       /* the first method of each class -> 1 */
    uint64_t left_out, told;     /* classes; as META says */
    uint32_t lost;               /* methods of classes that were unloaded; is never set back */
};

/* JVMTI's ClassPrepare, on the thread that prepares the class. Runs no Java code. */
void ixa_invocations_on_prepare(struct ixa_invocations *x, jvmtiEnv *ti, JNIEnv *jni, jclass class);

/* Agent's thread, or before it runs, from here on. */

/* Classes that are prepared already are found, too; call it when the event is told. -1: the JVM
 * does not count, or memory ran out. */
int ixa_invocations_start(struct ixa_invocations *x, jvmtiEnv *ti, JNIEnv *jni);
/* Safe at any time, even when not started. jni NULL: the JVM is shutting down, and the references
 * are left to it. */
void ixa_invocations_stop(struct ixa_invocations *x, JNIEnv *jni);
/* Writes what was called since the last looks. `last`: looks at all methods; else at some. Between
 * ixa_names_hold and ixa_names_end. -1 when the log failed. */
int ixa_invocations_write(struct ixa_invocations *x, jvmtiEnv *ti, JNIEnv *jni,
                          struct ixa_names *names, struct ix_log_writer *log, bool last);
/* The log begins a new part. */
void ixa_invocations_forget(struct ixa_invocations *x);

#endif
