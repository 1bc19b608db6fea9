/* SPDX-License-Identifier: Apache-2.0 */
/* How this JVM describes itself: combines options, system properties, host and clocks. */
#ifndef IX_AGENT_IDENTITY_H
#define IX_AGENT_IDENTITY_H

#include <jvmti.h>

#include "agent/settings/options.h"

/* The agent's options and its identity. */
struct ixa_settings {
    struct ixa_options options;
    struct ix_hello who; /* everything that HELLO and the log's META need, except for what the
                          * link fills in */
    uint64_t test;       /* the run is that of the JVM's test with this number; 0: of none */
    bool paused;         /* takes part in no run */
};

/* Completes `given`, the values from the options strings. Runs no Java code, so it may be called in
 * Agent_OnLoad. -1 if an option, a variable or the log's pattern is invalid. */
int ixa_identify(jvmtiEnv *ti, const struct ixa_options *given, int64_t started_ns,
                 struct ixa_settings *settings, struct ix_error *err);

/* Wall clock at the start of this process, ns; the current time if the kernel does not tell. */
int64_t ixa_started_ns(void);

#endif
