/* What the agent's files about its own life share: agent.c (the ways in and out), events.c (what
 * the JVM tells) and life.c (the agent's thread). One process has one JVM: their state is global.
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

struct ixa_virtual;

/* ---- events.c: the JVMTI environment ---- */

/* Makes the environment: capabilities and events; before VMInit, or in a JVM that lives. -1 and a
 * message if this JVM cannot do what the agent lives on: there is none then. */
int ixa_events_open(JavaVM *vm, struct ix_error *err);
/* NULL: there is none. */
jvmtiEnv *ixa_events_env(void);
/* Numbers the threads and starts the agent's, unless it runs; what VMInit does, and attaching. The
 * settings have been given. True as well in a JVM that has still to come to VMInit. False (no
 * exception pending) if it is not possible. */
bool ixa_events_begin(JNIEnv *jni);
/* The reverse of both: events off, capabilities and environment given back, threads forgotten. The
 * agent's thread has ended, or is the caller and does nothing with the JVM afterwards. A callback
 * that is just running on another thread finds nothing to do. */
void ixa_events_close(void);
/* What ThreadStart and ThreadEnd have counted, and Thread.tid; once ixa_events_begin was true. */
struct ixa_starts *ixa_events_starts(void);
jfieldID ixa_events_thread_id(void);
/* Virtual threads are followed by these options from now on, if they were not already. Agent thread. */
void ixa_events_renew(JNIEnv *jni, const struct ixa_options *options);
struct ixa_virtual *ixa_events_virtuals(void);

/* ---- life.c: the agent's thread ---- */

/* What a request to the thread has led to, or what it is at. */
enum ixa_life {
    IXA_LIFE_NONE,    /* there is no thread, or none any more */
    IXA_LIFE_RUNNING, /* it does what it was asked for */
    IXA_LIFE_STUCK,   /* it is ending and has not come to that for seconds (a dead disk?) */
};

/* What the thread will work with from now on: if it runs, its session ends orderly and another one
 * begins. Its log goes on if ixa_options_same_log. */
enum ixa_life ixa_life_set(const struct ixa_settings *settings);
enum ixa_life ixa_life_now(void);
/* The options that the thread will begin with; while there is none. */
const struct ixa_options *ixa_life_options(void);
/* Starts the thread, unless it runs. False if that is not possible; an exception may be pending. */
bool ixa_life_start(jvmtiEnv *ti, JNIEnv *jni);
/* Ends sampling: closes session and log, calls ixa_events_close, ends the thread, and waits until
 * all that is done. */
enum ixa_life ixa_life_leave(void);
/* At VMDeath. After this nobody calls the JVM: the thread has ended, or has never begun and will
 * not. (Or it hangs in a write to a dead disk; then the JVM does not wait for it for ever.) */
void ixa_life_end(void);

#endif
