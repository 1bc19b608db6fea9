/* SPDX-License-Identifier: Apache-2.0 */
/* Stops only the threads that may have run. The others still have the stack of their last walk.
 *
 * A thread is unchanged if all of this holds:
 *   - At its last walk it was asleep in the kernel before the stop and was not scheduled (put onto
 *     a CPU) until after the stop.
 *   - Since then, until after the present stop, it was not scheduled either (schedule.h).
 *   - Its JVMTI state right after the stop is the recorded one. Other threads can change that state
 *     while it sleeps (notify, interrupt, suspend).
 * All other threads are walked: a packet never holds a guess. docs/stop.md has the reasoning case
 * by case.
 *
 * States of a known thread (struct ixa_known), from packet to packet:
 *
 *                         walked, and asleep from before until after the stop
 *   first listed -> AWAKE -----------------------------------------> ASLEEP ---+
 *                  slept 0 <-------------------------------------- slept > 0   | unchanged: not
 *                   |   ^   scheduled, or in another state: walked       ^     | walked, quiet + 1
 *                   +---+   (noticed after the stop: TORN, below)        +-----+
 *              walked, and ran
 *
 *   Not in the list of the next packet: forgotten. LIVELY: walked in the next packets in any case,
 *   because it ran recently. `quiet` high enough: asked only after the stop.
 *
 * A packet, from ixa_incremental_take on:
 *
 *   the kernel does not count, or skip > 0 --------------> a full walk, of which nothing is kept
 *       |
 *       v
 *     LIST
 *     ^ |       most must be walked, the others have fewer than FEW_FRAMES,
 *     | v       or PARTIAL_STOPS have failed
 *     | CHOOSE ------------------------------------------> a full walk: WHOLE
 *     | |
 *     | v
 *     | STOP and walk the chosen threads
 *     | |
 *     | v       all others are unchanged, no thread was born
 *     | CHECK -------------------------------------------> EXACT
 *     | |
 *     +-+ TORN
 *
 * WHOLE makes the next packets skip all this, each time more of them; EXACT halves that number.
 * When most threads run all the time, or the JVM is small, asking about them is wasted effort.
 *
 * Agent thread only. */
#ifndef IX_AGENT_INCREMENTAL_H
#define IX_AGENT_INCREMENTAL_H

#include "agent/capture/capture.h"
#include "agent/capture/schedule.h"
#include "agent/capture/threads.h"

/* One thread of the present packet. */
struct ixa_member {
    jthread thread; /* a local reference */
    uint32_t known; /* index into `known` */
    uint64_t count; /* how often it had been scheduled before the stop; 0: unknown */
    jint state;     /* its JVMTI state right before the stop */
    bool walk;      /* true: its stack is in the ixa_stacks; false: the stack of its last walk
                     * holds */
    bool asleep;    /* walked, and did not run from before until after the stop */
    bool met;       /* verify: it was in the full walk */
};

/* Totals of verify=on over all packets. */
struct ixa_verified {
    uint64_t packets, threads, unchanged, again, unstable, mismatches;
};

struct ixa_incremental {
    jvmtiEnv *ti;
    const struct ixa_threads *threads;
    bool verify; /* walk all threads, and check those that would not have been walked */
    struct ixa_schedule schedule;
    struct ixa_watch self; /* the agent's own thread: shows whether the kernel counts at all */
    uint64_t self_count;
    struct ixa_known *known; /* owned: the threads of the last packet */
    size_t known_count, known_capacity;
    struct ix_idmap by_key;     /* Java's thread id -> index into `known`, plus 1 */
    struct ixa_member *members; /* owned */
    size_t count, capacity;     /* 0: a plain full walk, nothing is known */
    jthread *walk;              /* owned: scratch for the list of threads to walk */
    bool exact;                 /* no thread was born around the present packet's stop */
    uint32_t packet;            /* counts the lists of threads */
    uint32_t patience;          /* threads quiet for this many packets are not asked before the
                                 * stop */
    unsigned skip, penalty;     /* full walks still to take, and how many after the next failure */
    bool fresh;                 /* `known` comes from the immediately preceding packet */
    struct ixa_verified verified;
};

/* Call on the agent thread, after ixa_threads_init. */
void ixa_incremental_init(struct ixa_incremental *inc, jvmtiEnv *ti,
                          const struct ixa_threads *threads, bool verify);
/* verify=on: prints the totals to stderr. */
void ixa_incremental_free(struct ixa_incremental *inc);

/* The log begins a new part: all stack numbers are invalid, so every thread is walked again. */
void ixa_incremental_forget(struct ixa_incremental *inc);

/* Like ixa_capture_take. stacks->infos are the walked threads, some of which may have ended (not
 * ALIVE). stop_ns is the sum of all stops if the stop had to be repeated. */
int ixa_incremental_take(struct ixa_incremental *inc, JNIEnv *jni, struct ixa_capture *capture,
                         struct ixa_stacks *stacks);
/* Deletes the references to the present packet's threads. */
void ixa_incremental_release(struct ixa_incremental *inc, JNIEnv *jni);
/* Call for each walked thread afterwards, with its stack's number in the log. */
void ixa_incremental_keep(struct ixa_incremental *inc, JNIEnv *jni, const jvmtiStackInfo *info,
                          uint32_t stack);

/* What is still valid for a thread that was not walked. */
struct ixa_unchanged {
    jthread thread;
    jint state, frames;
    uint32_t stack;
};
/* For the i-th member, i < inc->count. False if it was walked. */
bool ixa_incremental_unchanged(const struct ixa_incremental *inc, size_t i,
                               struct ixa_unchanged *out);

#endif
