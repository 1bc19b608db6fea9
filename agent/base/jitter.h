/* SPDX-License-Identifier: Apache-2.0 */
/* Randomises waits, so that a thousand agents do not reconnect or report at once. */
#ifndef IX_AGENT_JITTER_H
#define IX_AGENT_JITTER_H

#include <stdint.h>

/* Returns a random time between 3/4 and 5/4 of ns. *state may start as any number. Below 4 ns
 * returns ns itself, or 0 if it is negative. Never more than INT64_MAX. */
int64_t ixa_jittered(uint64_t *state, int64_t ns);

#endif
