/* What this JVM says of itself: options, system properties, host and clocks put together. */
#ifndef IX_AGENT_IDENTITY_H
#define IX_AGENT_IDENTITY_H

#include <jvmti.h>

#include "agent/options.h"

/* `given` is what the options strings named; completes it into `all` and fills `who` but for the
 * fields that the link fills in: everything a HELLO and the log's META need. Runs no Java, so it
 * may be called in Agent_OnLoad. -1 if an option or variable is bad, or the log's pattern. */
int ixa_identify(jvmtiEnv *ti, const struct ixa_options *given, int64_t started_ns,
                 struct ixa_options *all, struct ix_hello *who, struct ix_error *err);

#endif
