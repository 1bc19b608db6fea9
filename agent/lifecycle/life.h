/* SPDX-License-Identifier: Apache-2.0 */
/* The agent's thread: how it starts, gets new settings, and ends. These functions are called on the
 * JVM's threads. A process has one JVM, so the state is global. */
#ifndef IX_AGENT_LIFE_H
#define IX_AGENT_LIFE_H

#include <jvmti.h>

#include "agent/lifecycle/loop.h"
#include "agent/settings/identity.h"

/* The result of a request to the thread, or its present state. */
enum ixa_life {
    IXA_LIFE_NONE,    /* no thread, or it has ended */
    IXA_LIFE_RUNNING, /* it does what was requested */
    IXA_LIFE_STUCK,   /* it should have ended seconds ago but has not (a hanging disk?) */
};

/* Sets the thread's settings from now on: a running thread ends its session cleanly and begins
 * another. Its log continues if ixa_options_same_log. */
enum ixa_life ixa_life_set(const struct ixa_settings *settings);
/* For tests, whose settings differ in the run alone: if there is a thread, sets its settings, and
 * what to say of the test that ends with that (NULL: none; `reason` and `last` are ignored). Never
 * waits. False: there is no thread. */
bool ixa_life_turn(const struct ixa_settings *settings, const struct ixa_farewell *of_last);
/* Waits, for this long at most, until the thread records with the last settings or, with
 * settings.paused, takes part in no run. False if it does not, or has given up trying. */
bool ixa_life_turned(unsigned ms);
enum ixa_life ixa_life_now(void);
/* The options that the thread will start with. Call only while there is no thread. */
const struct ixa_options *ixa_life_options(void);
/* Starts the thread unless it is running. False if that is not possible; an exception may be
 * pending. */
bool ixa_life_start(jvmtiEnv *ti, JNIEnv *jni);
/* Ends sampling: closes session and log, calls ixa_environment_close, ends the thread, and waits
 * for all of that. */
enum ixa_life ixa_life_leave(void);
/* Call at VMDeath. Afterwards the agent does not call the JVM: its thread has ended, or never
 * starts. (If the thread hangs in a write to a disk, the JVM does not wait forever.) */
void ixa_life_end(void);

#endif
