/* SPDX-License-Identifier: Apache-2.0 */
/* The object on which each waiting thread waits. From JDK 23 on the JVM reports it only by an event
 * (JDK-8256314), not when asked. Independent of the JVM: objects are references that are only
 * stored here.
 *
 * A table of slots. Of the threads whose ids end in the same bits, the first to wait gets the slot;
 * the others are not stored. Lock-free: the waiting threads enter and leave, the agent's thread
 * reads. If a thread leaves while its reference is being read, the agent's thread must delete the
 * reference. */
#ifndef IX_AGENT_WAITS_H
#define IX_AGENT_WAITS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IXA_WAITS 4096u

struct ixa_waits {
    _Atomic bool on;
    struct ixa_wait {
        _Atomic uint64_t who; /* the thread's key and the slot's state; 0: free */
        void *_Atomic ref;    /* belongs to the thread that `who` names */
    } places[IXA_WAITS];
};

/* The thread starts waiting. False if the reference was not stored: the caller keeps it. */
bool ixa_waits_enter(struct ixa_waits *w, uint64_t key, void *ref);
/* The thread has stopped waiting. Returns the reference if the caller must delete it, else NULL. */
void *ixa_waits_leave(struct ixa_waits *w, uint64_t key);

/* On the agent's thread: the reference, valid until ixa_waits_release. NULL if the thread does not
 * wait or is not in the table. */
void *ixa_waits_hold(struct ixa_waits *w, uint64_t key);
/* Call if ixa_waits_hold returned a reference. Returns it if the thread has left in the meantime:
 * the caller must delete it. */
void *ixa_waits_release(struct ixa_waits *w, uint64_t key);

void ixa_waits_start(struct ixa_waits *w);
/* From now on no thread is added. */
void ixa_waits_stop(struct ixa_waits *w);
/* Call after that for each slot. Returns a reference to delete, or NULL. */
void *ixa_waits_clear(struct ixa_waits *w, size_t place);

#endif
