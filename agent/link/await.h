/* SPDX-License-Identifier: Apache-2.0 */
/* Sleeps until it is time to prepare for a packet's instant. */
#ifndef IX_AGENT_AWAIT_H
#define IX_AGENT_AWAIT_H

#include <stdbool.h>

#include "agent/base/instant.h"

/* Work to do while that is still far away. Called when fd is readable, for a few microseconds at a
 * time; returns false when it has nothing more to do during this wait. */
struct ixa_meanwhile {
    int fd;
    bool (*work)(void *user);
    void *user;
};

/* Returns true when it is time to prepare, at once if no instant is named, or false as soon as
 * stop_fd is readable. */
bool ixa_await(int stop_fd, struct ixa_instant *instant, const struct ixa_meanwhile *meanwhile);

#endif
