/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/link/await.h"

#include <poll.h>

#include "agent/base/clock.h"

bool ixa_await(int stop_fd, struct ixa_instant *instant, const struct ixa_meanwhile *meanwhile)
{
    struct pollfd fds[2] = {{.fd = stop_fd, .events = POLLIN},
                            {.fd = meanwhile->fd, .events = POLLIN}};
    const int64_t at = ixa_instant_wakes_at(instant);
    for (int64_t left; (left = at - ixa_mono_ns()) > 0;) {
        const struct timespec timeout = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
        const int ready = ppoll(fds, 2, &timeout, NULL);
        if (ready == 0)
            ixa_instant_woke(instant, at);
        if (ready <= 0)
            continue;
        if (fds[0].revents)
            return false;
        if (!meanwhile->work(meanwhile->user))
            fds[1].fd = -1;
    }
    return true;
}
