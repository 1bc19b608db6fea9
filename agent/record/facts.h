/* SPDX-License-Identifier: Apache-2.0 */
/* What is recorded besides the stacks, if asked for: locks=on, exceptions=first or on,
 * process=on, connections=on, invocations=on, coverage=on.
 *
 * A process has one JVM, so this state is global, like agent.c's. Agent thread only, except for
 * ixa_facts_prepare and ixa_facts_callbacks, which are called in Agent_OnLoad, and the JVM's
 * events. */
#ifndef IX_AGENT_FACTS_H
#define IX_AGENT_FACTS_H

#include "agent/record/connections.h"
#include "agent/record/locks.h"
#include "agent/record/turns.h"
#include "agent/settings/options.h"

/* Adds the events of all of them to a table that will be set afterwards. */
void ixa_facts_callbacks(jvmtiEventCallbacks *callbacks);
/* Call in OnLoad, after each options string: acquires the capabilities, some of which are available
 * only then, and gives back those of options that were switched off again. */
void ixa_facts_prepare(jvmtiEnv *ti, const struct ixa_wanted_facts *wanted);

struct ixa_facts_config {
    jvmtiEnv *ti;
    jfieldID thread_id; /* Thread.tid */
    struct ixa_starts *starts;
    struct ixa_wanted_facts wanted;
    bool of_test; /* the log is that of one test of several */
};
/* Before there is a log: from now on the first exceptions are kept for it, and the classes whose
 * invocations are counted, if they are wanted. Call it before the agent's thread runs. */
void ixa_facts_begin_early(const struct ixa_facts_config *config, JNIEnv *jni);
/* Before there is a log, of a JVM whose runs are tests: classes get probes from now on, if coverage
 * is wanted, until ixa_facts_end. */
void ixa_facts_begin_tests(const struct ixa_facts_config *config, JNIEnv *jni);
/* Switches each kind on or off as wanted, at any time between two packets; a kind that stays on is
 * not interrupted. META `facts` in the log names those that are on. A kind that this JVM does not
 * allow stays off, which is logged once in the JVM's lifetime. -1 when the log failed. */
int ixa_facts_set(const struct ixa_facts_config *config, JNIEnv *jni, struct ix_log_writer *log);
/* A log ends: switches all off and frees the memory; allowed if all are off. Probes remain between
 * tests. jni NULL: the JVM is shutting down and is not called. */
void ixa_facts_leave(JNIEnv *jni);
/* The same for good. */
void ixa_facts_end(JNIEnv *jni);
/* Must the environment stay even then, with ClassFileLoadHook (see coverage.h)? */
bool ixa_facts_last(void);

/* The steps of a packet: right before the stop; */
void ixa_facts_begin(void);
/* ... locks (see locks.h), NULL unless they are on; */
struct ixa_locks *ixa_facts_locks(void);
/* ... and connections (see connections.h), NULL unless they are on; */
struct ixa_connections *ixa_facts_connections(void);
/* ... and how often threads run (see turns.h), NULL unless `process` is on; */
struct ixa_turns *ixa_facts_turns(void);
/* ... and at the end, when the snapshot's threads are in `threads`, before ixa_threads_end. -1 when
 * the log failed. */
int ixa_facts_write(JNIEnv *jni, struct ixa_names *names, const struct ixa_threads *threads,
                    struct ix_log_writer *log, uint64_t packet);
/* After the last packet: the exceptions, invocations and coverage since then. -1 when the log
 * failed. */
int ixa_facts_write_rest(JNIEnv *jni, struct ixa_names *names, const struct ixa_threads *threads,
                         struct ix_log_writer *log);
/* The agent's own connection, which is not the application's; -1: none. Before each packet. */
void ixa_facts_leave_out(int fd);
/* The log begins a new part. */
void ixa_facts_forget(void);

#endif
