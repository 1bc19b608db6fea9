/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual threads (JDK 21 and later): how many there are, and which of them a stop has to walk in
 * addition to the platform threads. docs/virtual.md has the reasoning.
 *
 * JVMTI's thread lists omit virtual threads, but a list of threads to walk may contain them. So
 * they are looked up right before the stop and walked in the stop, in one list with all other
 * threads. mounted: the threads that a carrier thread is executing; the JVM reports them (an
 * extension function). tracked: those, and all that have a slot in a table that their start and end
 * events maintain.
 *
 * JDK 17's jvmti.h has none of this; all of it is looked up at run time. Where it is missing, the
 * agent sees no virtual threads. */
#ifndef IX_AGENT_VIRTUAL_H
#define IX_AGENT_VIRTUAL_H

#include <jvmti.h>
#include <stdbool.h>

#include "agent/capture/starts.h"
#include "agent/capture/tracked.h"
#include "agent/settings/options.h"
#include "schema/base/idmap.h"

/* What JDK 21's jvmti.h adds to JDK 17's. */
#define IXA_EVENT_VIRTUAL_START ((jvmtiEvent)87)
#define IXA_EVENT_VIRTUAL_END ((jvmtiEvent)88)

struct ixa_virtual {
    jvmtiEnv *ti;
    bool on;         /* false: the other fields are unused */
    bool from_start; /* no virtual thread can have started before our events were enabled */
    bool first_only; /* the start event is enabled only until the first virtual thread starts */
    jvmtiExtensionFunction get_mounted; /* (carrier, &virtual thread or NULL) */
    jfieldID tid;                       /* Thread.tid */
    const struct ixa_starts *starts;    /* of platform threads */
    _Atomic bool any;                   /* there may be virtual threads */
    bool tracking;
    struct ixa_tracked tracked; /* used if `tracking` */

    /* Fields of the agent thread: */
    jclass carrier_class; /* a global reference; NULL: any platform thread may be a carrier */
    jthread *carriers;    /* owned, global references */
    size_t carrier_count, carrier_capacity;
    uint64_t carriers_at; /* starts->count when they were listed, plus 1; 0: never listed */
    jthread *list;        /* owned: the threads to walk */
    size_t capacity;
    jint count, virtual_count; /* the last `virtual_count` are virtual threads */
    jint lent;                 /* the first `lent` references belong to the caller */
    struct ix_idmap listed;    /* Java's ids of the threads listed here */
    uint64_t starts_before;    /* starts->count when the list was built */
    uint64_t living;           /* virtual threads alive then; tracking only */
};

/* Like jvmtiEnv.SetEventCallbacks, with the events of virtual threads as well. */
jvmtiError ixa_virtual_callbacks(jvmtiEnv *ti, const jvmtiEventCallbacks *callbacks);

/* Call in VMInit, or when attached to a running JVM: requests the capability and enables the
 * events. `from_start`: no thread of the application has run yet. If something is missing (JDK 17,
 * refused, out of memory), less or nothing is enabled; that is not an error. `v` must be zeroed at
 * first and must live as long as the JVM, because events use it. Can be called again after
 * ixa_virtual_end. */
void ixa_virtual_begin(struct ixa_virtual *v, jvmtiEnv *ti, const struct ixa_options *options,
                       jfieldID tid, const struct ixa_starts *starts, bool from_start);
/* Disables the events and deletes the references, on the agent thread. The table stays: the last
 * events may still be using it. jni NULL: the JVM is shutting down and is not called; only memory
 * is freed. */
void ixa_virtual_end(struct ixa_virtual *v, JNIEnv *jni);

/* ---- On the agent thread, for each stop ---- */

/* Whether a stop may have virtual threads to walk. v may be NULL. */
bool ixa_virtual_any(const struct ixa_virtual *v);
/* Lists the threads to walk: these platform threads (NULL: all), then the virtual ones.
 * ixa_virtual_drop deletes the references created here. False if there are no virtual threads or
 * memory ran out: then walk without the list; there is nothing to drop. */
bool ixa_virtual_list(struct ixa_virtual *v, JNIEnv *jni, const jthread *threads, jint count);
/* Call after the stop, if all platform threads were listed: true if none has started since. */
bool ixa_virtual_nobody_born(struct ixa_virtual *v, JNIEnv *jni);
void ixa_virtual_drop(struct ixa_virtual *v, JNIEnv *jni);
/* How many virtual threads besides the `shown` ones were alive when the list was built. False if
 * that is unknown, or there never was one. */
bool ixa_virtual_hidden(const struct ixa_virtual *v, uint64_t shown, uint64_t *hidden);

#endif
