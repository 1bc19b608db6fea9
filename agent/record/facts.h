/* What is recorded beside the stacks when asked for: locks=on, exceptions=on, process=on.
 *
 * One process has one JVM, so this state is global, like agent.c's. Agent thread only, but for
 * ixa_facts_prepare and ixa_facts_callbacks, which belong into Agent_OnLoad, and the JVM's events.
 */
#ifndef IX_AGENT_FACTS_H
#define IX_AGENT_FACTS_H

#include "agent/locks.h"
#include "agent/options.h"

/* Adds the events of all three to the table that is about to be set. */
void ixa_facts_callbacks(jvmtiEventCallbacks *callbacks);
/* In OnLoad, after each options string: gets the capabilities, some of which can be had then only,
 * and gives back those of options that were switched off again. */
void ixa_facts_prepare(jvmtiEnv *ti, const struct ixa_wanted_facts *wanted);

struct ixa_facts_config {
    jvmtiEnv *ti;
    jfieldID thread_id; /* Thread.tid */
    struct ixa_starts *starts;
    struct ixa_wanted_facts wanted;
};
/* Switches each on or off as wanted, at any time between two packets; what was on and stays on goes
 * on. META `facts` in the log names those that are on. One that this JVM does not allow stays off,
 * and that is said, once in the JVM's life. -1 when the log failed. */
int ixa_facts_set(const struct ixa_facts_config *config, JNIEnv *jni, struct ix_log_writer *log);
/* All off, memory free. jni NULL: the JVM is ending and is not called. */
void ixa_facts_end(JNIEnv *jni);

/* The steps of a packet: right before the stop; */
void ixa_facts_begin(void);
/* ... locks (see there), NULL unless they are on; */
struct ixa_locks *ixa_facts_locks(void);
/* ... and at last, when the snapshot's threads are in `threads`, before ixa_threads_end. -1 when
 * the log failed. */
int ixa_facts_write(JNIEnv *jni, struct ixa_names *names, const struct ixa_threads *threads,
                    struct ix_log_writer *log);

#endif
