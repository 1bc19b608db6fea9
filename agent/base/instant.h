/* SPDX-License-Identifier: Apache-2.0 */
/* Brings a thread to an instant that was named ahead, with everything prepared.
 *
 * Two things come before the stop: the thread has to wake up, which on a virtual machine takes 150
 * us although the processor is idle, and it has to find out whom to walk (capture/incremental).
 * Both are measured for each packet, and the thread begins that much earlier:
 *
 *     ixa_instant_wakes_at      ixa_instant_begin            target
 *     |---- wakes up ----------|---- prepares ----| sleeps, then polls the clock |
 *                                                 ixa_instant_reach
 *
 * It sleeps in between, if there is time, because another JVM's agent may have to prepare on the
 * same processor. All times are those of ixa_mono_ns. One thread only; calls no JVM. */
#ifndef IX_AGENT_INSTANT_H
#define IX_AGENT_INSTANT_H

#include <stdint.h>

struct ixa_instant {
    int64_t target_ns;  /* 0: none, at once */
    int64_t begun_ns;   /* when it began to prepare; 0: not yet */
    int64_t wake_ns;    /* how long waking up takes: three times of four no longer */
    int64_t prepare_ns; /* how long preparing takes: likewise */
};

/* Prepares the calling thread for precise wake-ups: timers exact to the nanosecond instead of 50 us
 * and, from Linux 6.12 on, a short time slice, so that it does not wait for another thread's slice
 * to end. Its share of the processors stays the same. Skips what the kernel does not allow. */
void ixa_instant_thread(void);

void ixa_instant_init(struct ixa_instant *i);

/* Names the next instant. None, if target_ns is 0, in the past, or more than IX_TARGET_AHEAD_MAX_NS
 * ahead. */
void ixa_instant_name(struct ixa_instant *i, uint64_t target_ns);

/* The time for which the thread should set its timer; 0 if no instant was named. It may be past. */
int64_t ixa_instant_wakes_at(const struct ixa_instant *i);
/* The thread is awake, and its timer was set for this time. */
void ixa_instant_woke(struct ixa_instant *i, int64_t timer_ns);

/* From here on the thread prepares the stop. */
void ixa_instant_begin(struct ixa_instant *i);
/* When the thread would be prepared if it began at that time. */
uint64_t ixa_instant_prepared(const struct ixa_instant *i, uint64_t begun_ns);
/* Returns at the instant; at once if that is past, or none was named, or if this was called before
 * for it. Waits for 5 ms at most. */
void ixa_instant_reach(struct ixa_instant *i);

#endif
