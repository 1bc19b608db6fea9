/* SPDX-License-Identifier: Apache-2.0 */
/* VMInit and VMDeath: when the agent's thread starts and ends. */
#ifndef IX_AGENT_EVENTS_H
#define IX_AGENT_EVENTS_H

#include <jvmti.h>
#include <stdbool.h>

#include "schema/base/error.h"

/* Creates the JVMTI environment (environment.h) with these events. */
int ixa_events_open(JavaVM *vm, struct ix_error *err);
/* Before VMInit: gives up running the agent; VMInit will log why in one line. A later call with
 * NULL revokes that. */
void ixa_events_give_up(const struct ix_error *why);
/* Numbers the threads and starts the agent's thread unless it is running. Done by VMInit and by
 * attaching, after ixa_life_set. Also true in a JVM that has not reached VMInit yet. False (no
 * exception pending) if it is not possible. */
bool ixa_events_begin(JNIEnv *jni);

#endif
