/* SPDX-License-Identifier: Apache-2.0 */
/* What a run's logs record beside call stacks: the states of threads, and who waits for whom. */
#ifndef ROXI_RECORDED_H
#define ROXI_RECORDED_H

#include "roxi/explain/finding.h"

/* As long as a thread has the same state. */
struct roxi_state {
    uint32_t jvm, thread; /* as those of struct roxi_span */
    uint64_t first, last; /* packets */
    int state; /* of enum roxi_doing; ROXI_RUNNING: it is not known to wait; what its frames tell
                  may say more */
};

/* Who waits for whom at one packet. */
struct roxi_waiting {
    uint64_t packet; /* 0: none */
    char *text;      /* as waits_print_text writes it; "" if nobody waits; owned */
};

struct roxi_recorded {
    struct roxi_state *states; /* by JVM and thread, then by packet; owned */
    size_t count, cap;
    bool facts;                    /* locks or connections are recorded */
    struct roxi_waiting departure; /* where the first finding departs */
    struct roxi_waiting worst;     /* from there on: where most threads wait longest, all lengths of
                                      waits added up */
};

/* Reads the logs of a run, without warnings: it was loaded before. `f`: its findings, or none. -1
 * with a message and nothing to free. O(threads x packets). */
int roxi_recorded_read(struct roxi_recorded *r, const struct roxi_listed_execution *run,
                       const struct roxi_findings *f, struct ix_error *err);
void roxi_recorded_free(struct roxi_recorded *r);

/* The state in which the span's thread was for most of the span, if that says more than `doing`,
 * the state by its call stack; otherwise `doing`. O(log n + states in the span). */
int roxi_recorded_state(const struct roxi_recorded *r, const struct roxi_span *span, int doing);
/* The place of the thread's first state, or of a later thread's: there is none. O(log n). */
size_t roxi_recorded_first(const struct roxi_recorded *r, uint32_t jvm, uint32_t thread);

/* The packet, from `from` on, at which the waits in progress have lasted longest in total, counted
 * from `from`; of several the third, because what threads wait for is not known at once; 0: nobody
 * waits. -1: memory ran out. O(n log n). */
int roxi_recorded_worst(const struct waits_chains *c, uint64_t from, uint64_t *packet);

#endif
