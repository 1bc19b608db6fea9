/* On which object each waiting thread waits: from JDK 23 on the JVM tells it by an event only
 * (JDK-8256314), not when asked. Knows no JVM: objects come as references that it only keeps.
 *
 * A table of places, each for the thread that comes first of those whose ids end alike; another one
 * is not entered. Lock-free: the waiting threads enter and leave, the agent's looks. A reference
 * that is being looked at when its thread leaves is handed to the agent's thread to be released. */
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
        _Atomic uint64_t who; /* the thread's key and what is done; 0: free */
        void *_Atomic ref;    /* of the thread that `who` names */
    } places[IXA_WAITS];
};

/* The thread begins to wait. False if the reference was not kept: it stays the caller's. */
bool ixa_waits_enter(struct ixa_waits *w, uint64_t key, void *ref);
/* It has ended to wait. The reference if it is to be released by the caller, else NULL. */
void *ixa_waits_leave(struct ixa_waits *w, uint64_t key);

/* The agent's thread: the reference, good until ixa_waits_release; NULL if the thread does not wait
 * or is not in the table. */
void *ixa_waits_hold(struct ixa_waits *w, uint64_t key);
/* After ixa_waits_hold gave one. Returns it if the thread has left meanwhile: to be released. */
void *ixa_waits_release(struct ixa_waits *w, uint64_t key);

void ixa_waits_start(struct ixa_waits *w);
/* Nobody is entered any more. */
void ixa_waits_stop(struct ixa_waits *w);
/* After that, for each place: a reference to be released, or NULL. */
void *ixa_waits_clear(struct ixa_waits *w, size_t place);

#endif
