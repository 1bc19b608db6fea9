/* locks=on: which threads own, enter and wait on which monitors at the instant of a snapshot.
 *
 * The JVM tells a thread's monitors only when it is asked, after the stop, and with stop=safepoint
 * the threads run meanwhile. So a relation is taken only from a thread that has provably not run
 * from before the stop until after the answer; any other is left out, and none is ever guessed:
 *   - A thread that is blocked on entering a monitor or in Object.wait. JVMTI's events count its
 *     comings and goings (MonitorContendedEnter, ...Entered, MonitorWait, MonitorWaited) in a
 * table; the same count before the stop and after the answers, and still such a state, means that
 * it has been there all the time. What it owns itself it owned at the stop too: a deadlock is seen
 * whole.
 *   - A thread that sleeps otherwise (in Thread.sleep, on a lock of java.util.concurrent, in a
 * read) while others wait for a monitor of its. The kernel tells that it did not run (schedule.h),
 * from the second packet on that needs it.
 *   - With stop=suspend the questions are asked while the threads are suspended, so all of them.
 * An owner that was computing is therefore seen with stop=suspend only.
 *
 * Monitors only; locks of java.util.concurrent are objects like others. At most 256 threads are
 * asked a packet, and for a limited time (locks.c): those that are blocked, then those that wait,
 * then those that were found to own something before, then others, in turn, while somebody is
 * blocked on a monitor whose owner is not known.
 *
 * Agent thread only, but for ixa_locks_on_change, _on_wait and _on_waited. */
#ifndef IX_AGENT_LOCKS_H
#define IX_AGENT_LOCKS_H

#include <jvmti.h>
#include <stdatomic.h>

#include "agent/names.h"
#include "agent/schedule.h"
#include "agent/threads.h"
#include "agent/waits.h"

/* Threads share a count by the last bits of their ids: a stranger's change only makes a relation be
 * left out. */
#define IXA_LOCKS_COUNTS 4096u
#define IXA_LOCKS_WATCHED 32u /* sleeping owners, two descriptors each */

/* One that is neither blocked nor waiting and owned what others were blocked on. */
struct ixa_owner {
    uint64_t key; /* Java's thread id; 0: free place */
    struct ixa_watch watch;
    uint64_t count;  /* the kernel's, before the stop; 0: it was not asleep */
    unsigned unused; /* packets since it was last found to own what others wait for */
};

struct ixa_locks {
    _Atomic uint32_t counts[IXA_LOCKS_COUNTS]; /* changes; by any thread */
    uint32_t before[IXA_LOCKS_COUNTS];         /* the same, right before the stop */
    struct ixa_waits waits;                    /* weak references */
    jvmtiEnv *ti;
    jfieldID thread_id; /* Thread.tid */
    struct ixa_starts *starts;
    struct ixa_schedule schedule;
    struct ixa_owner owners[IXA_LOCKS_WATCHED];
    size_t turn;            /* where the search for owners goes on */
    unsigned skip, penalty; /* packets without a search; how many after the next one in vain */
    struct ixa_locks_packet *packet; /* owned: what this packet has found; NULL: off */
};

/* A thread's own events: it begins or ends to be blocked; it begins to wait on the object; it does
 * not wait any more. */
void ixa_locks_on_change(struct ixa_locks *l, JNIEnv *jni, jthread thread);
void ixa_locks_on_wait(struct ixa_locks *l, JNIEnv *jni, jthread thread, jobject object);
void ixa_locks_on_waited(struct ixa_locks *l, JNIEnv *jni, jthread thread);

/* -1 if the JVM does not allow it (a capability is missing), or memory ran out. */
int ixa_locks_start(struct ixa_locks *l, jvmtiEnv *ti, jfieldID thread_id,
                    struct ixa_starts *starts);
/* Safe at any time, also when it is not on. jni NULL: the JVM is ending and is not called. */
void ixa_locks_stop(struct ixa_locks *l, JNIEnv *jni);

/* The steps of a packet. Right before the stop: */
void ixa_locks_begin(struct ixa_locks *l);
/* Right after it, or while all are suspended: each thread, with its state at the stop. The
 * reference must live until ixa_locks_ask has returned. */
void ixa_locks_see(struct ixa_locks *l, JNIEnv *jni, jthread thread, jint state);
/* Then asks the JVM. What it finds holds local references until the caller's frame is popped. */
void ixa_locks_ask(struct ixa_locks *l, JNIEnv *jni, bool suspended);
/* The stop is taken again: forgets what was seen and found. */
void ixa_locks_again(struct ixa_locks *l, JNIEnv *jni);
/* Gives the log what was found, after the snapshot's threads have been entered in `threads`. -1
 * when the log failed. */
int ixa_locks_write(struct ixa_locks *l, JNIEnv *jni, struct ixa_names *names,
                    const struct ixa_threads *threads, struct ix_log_writer *log);

#endif
