/* Virtual threads (JDK 21 and later): which of them a stop has to walk besides the platform
 * threads, and how many there are. docs/virtual.md has the reasoning.
 *
 * JVMTI's lists of threads leave them out; a list of threads to be walked may contain them. So they
 * are found right before the stop and walked at the stop, in one list with all others. mounted:
 * those that a carrier thread executes, which the JVM tells (an extension function). tracked: those
 * too, and all that have a place in a table, which their start and end events keep.
 *
 * Nothing here is in JDK 17's jvmti.h; all of it is found at run time, and where it is not there
 * are no virtual threads for this agent. */
#ifndef IX_AGENT_VIRTUAL_H
#define IX_AGENT_VIRTUAL_H

#include <jvmti.h>
#include <stdbool.h>

#include "agent/idmap.h"
#include "agent/options.h"
#include "agent/starts.h"
#include "agent/tracked.h"

/* What JDK 21's jvmti.h adds to JDK 17's. */
#define IXA_EVENT_VIRTUAL_START ((jvmtiEvent)87)
#define IXA_EVENT_VIRTUAL_END ((jvmtiEvent)88)

struct ixa_virtual {
    jvmtiEnv *ti;
    bool on;         /* false: the rest means nothing */
    bool from_start; /* no virtual thread can have started before our events */
    bool first_only; /* the start event is on, and only until the first virtual thread */
    jvmtiExtensionFunction get_mounted; /* (carrier, &virtual thread or NULL) */
    jfieldID tid;                       /* Thread.tid */
    const struct ixa_starts *starts;    /* of platform threads */
    _Atomic bool any;                   /* there may be virtual threads */
    bool tracking;
    struct ixa_tracked tracked; /* if tracking */

    /* The agent thread's: */
    jclass carrier_class; /* a global reference; NULL: any platform thread may be a carrier */
    jthread *carriers;    /* owned, global references */
    size_t carrier_count, carrier_capacity;
    uint64_t carriers_at; /* starts->count when they were listed, plus 1; 0 never */
    jthread *list;        /* owned: whom to walk */
    size_t capacity;
    jint count, virtual_count; /* the last `virtual_count` ones are virtual threads */
    jint lent;                 /* the first ones are the caller's references */
    struct ixa_idmap listed;   /* Java's ids of those that were listed here */
    uint64_t starts_before;    /* starts->count when the list was made */
    uint64_t living;           /* virtual threads then; tracking only */
};

/* jvmtiEnv.SetEventCallbacks with the events of virtual threads, too. */
jvmtiError ixa_virtual_callbacks(jvmtiEnv *ti, const jvmtiEventCallbacks *callbacks);

/* In VMInit, or when attached to a JVM that lives: asks for the capability and the events.
 * `from_start`: no thread of the application has run yet. What is not there (JDK 17, refused, out
 * of memory) leaves less or nothing on; that is no error. `v`, zeroed at first, gets events: it
 * must live as long as the JVM. It may begin again after ixa_virtual_end. */
void ixa_virtual_begin(struct ixa_virtual *v, jvmtiEnv *ti, const struct ixa_options *options,
                       jfieldID tid, const struct ixa_starts *starts, bool from_start);
/* No more events, references given back; on the agent thread. The table stays: the last events may
 * be at it still. jni NULL: the JVM is ending and is not called; only memory is given back. */
void ixa_virtual_end(struct ixa_virtual *v, JNIEnv *jni);

/* ---- On the agent thread, for each stop ---- */

/* Whether a stop may have virtual threads to walk. v may be NULL. */
bool ixa_virtual_any(const struct ixa_virtual *v);
/* Lists whom to walk: these platform threads (NULL: all), then the virtual ones. The references
 * made here are given back by ixa_virtual_drop. False if there are no virtual ones, or memory ran
 * out: walk without, there is nothing to be dropped. */
bool ixa_virtual_list(struct ixa_virtual *v, JNIEnv *jni, const jthread *threads, jint count);
/* After the stop, if all platform threads were listed: true if none was born since. */
bool ixa_virtual_nobody_born(struct ixa_virtual *v, JNIEnv *jni);
void ixa_virtual_drop(struct ixa_virtual *v, JNIEnv *jni);
/* How many virtual threads lived beyond the `shown` ones when the list was made; false if that is
 * not known, or there never was one. */
bool ixa_virtual_hidden(const struct ixa_virtual *v, uint64_t shown, uint64_t *hidden);

#endif
