/* Stops only the threads that may have run: the others' stacks are those of their last walk.
 *
 * When a thread counts as unchanged: at its last walk it was asleep in the kernel before the stop
 * and was not put onto a CPU until after it; since then, until after the present stop, it was not put
 * onto a CPU either (schedule.h); and its JVMTI state, which others can change while it sleeps
 * (notify, interrupt, suspend), is right after the stop as recorded.
 * Everybody else is walked. If one that was not walked turns out to have run or changed state
 * meanwhile, or a thread was born meanwhile, the stop is taken again with it, and the second time
 * as a full walk: a packet never holds a guess. docs/stop.md has the reasoning case by case.
 *
 * Agent thread only. */
#ifndef IX_AGENT_INCREMENTAL_H
#define IX_AGENT_INCREMENTAL_H

#include "agent/capture.h"
#include "agent/schedule.h"
#include "agent/threads.h"

/* One thread of the present packet. */
struct ixa_member {
    jthread thread;  /* a local reference */
    uint32_t known;  /* place in `known` */
    uint64_t count;  /* times scheduled, before the stop; 0 unknown */
    jint state;      /* JVMTI's, right before the stop */
    bool walk;       /* its stack is in the ixa_stacks; else that of its last walk holds */
    bool asleep;     /* walked, and did not run from before to after the stop */
    bool met;        /* verify: it was in the full walk */
};

/* What verify=on has found, over all packets. */
struct ixa_verified {
    uint64_t packets, threads, unchanged, again, unstable, mismatches;
};

struct ixa_incremental {
    jvmtiEnv *ti;
    const struct ixa_threads *threads;
    bool verify; /* walk all, and compare with what would not have been walked */
    struct ixa_schedule schedule;
    struct ixa_watch self; /* the agent's own thread: tells whether the kernel counts at all */
    uint64_t self_count;
    struct ixa_known *known; /* owned: the threads of the last packet */
    size_t known_count, known_capacity;
    struct ixa_idmap by_key; /* Java's thread id -> place in known, from 1 */
    struct ixa_member *members; /* owned */
    size_t count, capacity;     /* 0: a plain full walk, nothing is known */
    jthread *walk;              /* owned: scratch for the list to be walked */
    bool exact;                 /* nobody was born around the present packet's stop */
    uint32_t packet;            /* counts lists of threads */
    uint32_t patience;          /* who was quiet for so many packets is not asked before the stop */
    unsigned skip, penalty;     /* full walks still to take, and how many after the next failure */
    bool fresh;                 /* what is known comes from the packet right before */
    struct ixa_verified verified;
};

/* Call on the agent thread, after ixa_threads_init. */
void ixa_incremental_init(struct ixa_incremental *inc, jvmtiEnv *ti,
                          const struct ixa_threads *threads, bool verify);
/* verify=on: says the totals on stderr. */
void ixa_incremental_free(struct ixa_incremental *inc);

/* The log begins a new part: the numbers of all stacks are void, so everybody is walked again. */
void ixa_incremental_forget(struct ixa_incremental *inc);

/* As ixa_capture_take; stacks->infos are the walked threads, some of which may have ended (not
 * ALIVE). stop_ns is the sum if the stop had to be taken again. */
int ixa_incremental_take(struct ixa_incremental *inc, JNIEnv *jni, struct ixa_capture *capture,
                         struct ixa_stacks *stacks);
/* Gives back the references of the present packet's threads. */
void ixa_incremental_release(struct ixa_incremental *inc, JNIEnv *jni);
/* For each walked thread afterwards: its stack's number in the log. */
void ixa_incremental_keep(struct ixa_incremental *inc, JNIEnv *jni, const jvmtiStackInfo *info,
                          uint32_t stack);

/* What holds for a thread that was not walked. */
struct ixa_unchanged {
    jthread thread;
    jint state, frames;
    uint32_t stack;
};
/* The i-th member, below inc->count; false if it was walked. */
bool ixa_incremental_unchanged(const struct ixa_incremental *inc, size_t i,
                               struct ixa_unchanged *out);

#endif
