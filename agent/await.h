/* Waits for an instant as precisely as a thread can: asleep until shortly before it, then awake. */
#ifndef IX_AGENT_AWAIT_H
#define IX_AGENT_AWAIT_H

#include <stdbool.h>
#include <stdint.h>

/* So long before the target the thread is woken, and looks at the clock from then on: what waking
 * up takes on an idle processor. */
#define IXA_AWAKE_NS 50000

/* Returns at target_ns of ixa_mono_ns: true; false as soon as stop_fd is readable. 0, a passed
 * target, and one that is more than IX_TARGET_AHEAD_MAX_NS ahead mean "at once". The caller's timer
 * slack should be small (PR_SET_TIMERSLACK). */
bool ixa_await(int stop_fd, uint64_t target_ns);

#endif
