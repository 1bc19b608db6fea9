/* SPDX-License-Identifier: Apache-2.0 */
/* A call stack that an application's thread was in when it did something, for the agent's thread to
 * write later. It keeps no class alive (weak.h). */
#ifndef IX_AGENT_SITE_H
#define IX_AGENT_SITE_H

#include <jvmti.h>
#include <stdint.h>

#include "agent/record/names.h"

#define IXA_SITE_FRAMES_MAX 48

struct ixa_site {
    jint count; /* of frames, the executing one first; IXA_SITE_FRAMES_MAX: there may be more */
    jvmtiFrameInfo frames[IXA_SITE_FRAMES_MAX];
    jweak declaring[IXA_SITE_FRAMES_MAX]; /* their classes; owned */
};

/* That of the current thread, without the `from` frames at its executing end; empty if it cannot be
 * had. */
void ixa_site_take(struct ixa_site *site, jvmtiEnv *ti, JNIEnv *jni, jint from);
void ixa_site_drop(struct ixa_site *site, JNIEnv *jni);

/* Of frames, which need not be alive. */
uint64_t ixa_site_hash(const jvmtiFrameInfo *frames, jint count);

/* Agent thread only, between ixa_names_hold and ixa_names_end: sets *stack to the log's number of
 * the call stack. -1 when the log failed. */
int ixa_site_write(const struct ixa_site *site, JNIEnv *jni, struct ixa_names *names,
                   struct ix_log_writer *log, uint32_t *stack);

#endif
