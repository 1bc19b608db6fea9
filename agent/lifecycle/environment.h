/* SPDX-License-Identifier: Apache-2.0 */
/* The agent's JVMTI environment: capabilities, events, and what is known about the JVM's threads. A
 * process has one JVM, so the state is global. */
#ifndef IX_AGENT_ENVIRONMENT_H
#define IX_AGENT_ENVIRONMENT_H

#include <jvmti.h>

#include "agent/capture/starts.h"
#include "agent/capture/virtual.h"
#include "agent/settings/options.h"

/* Creates the environment with capabilities and events, before VMInit or in a running JVM. -1 and a
 * message if this JVM lacks something that the agent cannot do without; there is no environment
 * then. */
int ixa_environment_open(JavaVM *vm, jvmtiEventVMInit on_vm_init, jvmtiEventVMDeath on_vm_death,
                         struct ix_error *err);
/* NULL: no environment. All functions below need one. */
jvmtiEnv *ixa_environment(void);
/* VMInit has been received, VMDeath has not. */
bool ixa_environment_is_live(void);
/* Numbers the running threads and, from now on, those that start. Creates local references. False
 * if that is not possible; an exception may be pending. */
bool ixa_environment_number_threads(JNIEnv *jni);
/* The threads that ThreadStart and ThreadEnd have counted, and Thread.tid. Valid once the threads
 * have been numbered. */
struct ixa_starts *ixa_environment_starts(void);
jfieldID ixa_environment_thread_id(void);
/* Follows virtual threads according to these options from now on. from_start: no thread of the
 * application has run yet. */
void ixa_environment_follow_virtuals(const struct ixa_options *options, bool from_start);
/* The same with other options, if they differ. Agent thread. */
void ixa_environment_renew(JNIEnv *jni, const struct ixa_options *options);
struct ixa_virtual *ixa_environment_virtuals(void);
/* Disables the events, gives back the capabilities and the environment, forgets the threads. The
 * agent's thread must have ended, or be the caller and not use the JVM afterwards. A callback that
 * is running on another thread at that moment does nothing. */
void ixa_environment_close(void);

#endif
