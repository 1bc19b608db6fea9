/* What the agent's files about its own life share: agent.c (the ways in), events.c (what the JVM
 * tells) and life.c (the agent's thread). One process has one JVM, so their state is global.
 *
 * The application's threads run only the callbacks in events.c; everything else happens on the
 * agent's own thread. */
#ifndef IX_AGENT_AGENT_H
#define IX_AGENT_AGENT_H

#include <jvmti.h>

#include "agent/options.h"
#include "agent/starts.h"

/* What the agent does, and as whom. */
struct ixa_settings {
    struct ixa_options options;
    struct ix_hello who;
};

/* ---- events.c: the JVMTI environment ---- */

/* Makes the environment: capabilities and events. -1 and a message if this JVM cannot do what the
 * agent lives on. */
int ixa_events_open(JavaVM *vm, struct ix_error *err);
/* NULL: there is none. */
jvmtiEnv *ixa_events_env(void);
/* What ThreadStart and ThreadEnd have counted, and Thread.tid; once ixa_events_begin was true. */
struct ixa_starts *ixa_events_starts(void);
jfieldID ixa_events_thread_id(void);

/* ---- life.c: the agent's thread ---- */

/* What the thread will work with. Before it starts. */
void ixa_life_set(const struct ixa_settings *settings);
/* At VMInit: starts the thread. False if that is not possible; an exception may be pending. */
bool ixa_life_start(jvmtiEnv *ti, JNIEnv *jni);
/* There will be no thread. */
void ixa_life_never(void);
/* At VMDeath. After this nobody calls the JVM: the thread has ended, or has never begun and will
 * not. (Or it hangs in a write to a dead disk; then the JVM does not wait for it for ever.) */
void ixa_life_end(void);

#endif
