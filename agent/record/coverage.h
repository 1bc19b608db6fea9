/* SPDX-License-Identifier: Apache-2.0 */
/* coverage=on: which basic blocks of the application have been executed, since which packet, and
 * when they were not for a while. A branch that only one run takes, for a retry or an error, say,
 * or takes no more, needs no time, is on no call stack, and may still be what made the run odd.
 *
 * As a class is loaded, probes are put into its code (coverage/probes.h). After each packet the
 * agent's thread looks at their fields (looks.h).
 *
 * The application's classes are those that were not loaded by a loader of the JVM's own, and are
 * not of the Java platform, of ixor-junit.jar, or of a widely used library (schema/base/library.h),
 * unless the program's main class is of one, or of what runs tests. So many blocks at most, those
 * of the classes that were loaded first, and half of them for libraries other than the program's
 * own; classes that were loaded before this was switched on have no probes, and nothing can take
 * out a probe. No class is kept alive. The lock is held briefly and never across a call into the
 * JVM.
 *
 * A class with probes must keep its fields when it is redefined, or the JVM refuses. So the event
 * is told for ever once there is such a class, even in a JVM from which the agent is detached.
 *
 * META `coverage-left-out` in the log says that there were more classes. */
#ifndef IX_AGENT_COVERAGE_H
#define IX_AGENT_COVERAGE_H

#include <jvmti.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/record/looks.h"
#include "agent/record/names.h"
#include "schema/base/bytes.h"
#include "schema/tracelog/writer.h"

#define IXA_COVERAGE_BLOCKS 65536u    /* in all classes; 80 bytes of the JVM's memory each, or so */
#define IXA_COVERAGE_LIBRARIES 32768u /* when there are so many, no more for libraries */
#define IXA_COVERAGE_OF_CLASS 1024u   /* more: the class is left alone */
#define IXA_COVERAGE_LOADED 1024u     /* classes that were loaded and not prepared yet, */
#define IXA_COVERAGE_FRESH 4096u      /* or prepared, and not looked at */
#define IXA_COVERAGE_ADOPTS 256u      /* of them a packet, */
#define IXA_COVERAGE_LEARNS 8192u     /* or with so many blocks */
#define IXA_COVERAGE_LOOKS 8192u      /* blocks a packet, 30 ns each */
#define IXA_COVERAGE_WRITES 4096u     /* of them that are written; the others' turn comes */

struct ixa_coverage {
    _Atomic bool on;
    _Atomic bool probed;     /* there are classes with probes, or were */
    _Atomic uint32_t blocks; /* of classes that are alive, about */
    _Atomic uint64_t missed; /* classes for which there was no room */
    _Atomic bool with_libraries;
    char program[256]; /* the main class, if it is of a library; set once, before `on` */
    pthread_mutex_t lock;
    /* Protected by the lock; owned. The oldest first; the second is a ring. */
    struct ixa_probed_class *loaded, *fresh;
    size_t loaded_count, fresh_first, fresh_count;
    /* Of the agent's thread; owned: */
    struct ixa_probed_class *classes;
    size_t count, cap, next;        /* next: whose turn it is */
    uint64_t told;                  /* missed classes, as META says */
    struct ix_out name, descriptor; /* scratch */
};

/* JVMTI's ClassFileLoadHook, on the thread that loads the class. Runs no Java code. Environments
 * that have stayed may call it for one class one after the other: the first does all. */
void ixa_coverage_on_load(struct ixa_coverage *c, jvmtiEnv *ti, JNIEnv *jni, jclass redefined,
                          jobject loader, const char *name, jint length, const unsigned char *bytes,
                          jint *new_length, unsigned char **new_bytes);
/* ClassPrepare, on the thread that prepares it. Runs no Java code. */
void ixa_coverage_on_prepare(struct ixa_coverage *c, jvmtiEnv *ti, JNIEnv *jni, jclass class);

/* Agent's thread, or before it runs, from here on. */

/* From now on classes get probes, of those events that are told. `of_tests`: the program's main
 * class is that of a build tool, and tells nothing. -1: memory ran out. */
int ixa_coverage_start(struct ixa_coverage *c, jvmtiEnv *ti, bool of_tests);
/* In the log that begins now nothing has been executed yet: that of another test, say. */
void ixa_coverage_anew(struct ixa_coverage *c, jvmtiEnv *ti, JNIEnv *jni);
/* Safe at any time, even when not started. jni NULL: the JVM is shutting down, and the references
 * are left to it. */
void ixa_coverage_stop(struct ixa_coverage *c, JNIEnv *jni);
/* Must ClassFileLoadHook still be told when it has stopped, because classes have probes? */
bool ixa_coverage_lasts(const struct ixa_coverage *c);
/* Looks at some blocks, and writes what they did since the last looks. Packet 0: there is none any
 * more; looks at all. Between ixa_names_hold and ixa_names_end. -1 when the log failed. */
int ixa_coverage_write(struct ixa_coverage *c, jvmtiEnv *ti, JNIEnv *jni, struct ixa_names *names,
                       struct ix_log_writer *log, uint64_t packet);

#endif
