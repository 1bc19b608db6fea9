#include "agent/await.h"

#include <poll.h>

#include "agent/clock.h"
#include "schema/datagram.h"

static int64_t left_until(uint64_t target_ns)
{
    return (int64_t)(target_ns - (uint64_t)ixa_mono_ns());
}

/* Leaves the processor's resources to its sibling for a moment. */
static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

bool ixa_await(int stop_fd, uint64_t target_ns)
{
    struct pollfd stop = {.fd = stop_fd, .events = POLLIN};
    int64_t left = left_until(target_ns);
    if (!target_ns || left > (int64_t)IX_TARGET_AHEAD_MAX_NS)
        return true;
    for (; left > IXA_AWAKE_NS; left = left_until(target_ns)) {
        int64_t sleep = left - IXA_AWAKE_NS;
        struct timespec timeout = {.tv_sec = sleep / 1000000000, .tv_nsec = sleep % 1000000000};
        if (ppoll(&stop, 1, &timeout, NULL) > 0)
            return false;
    }
    while (left_until(target_ns) > 0)
        relax();
    return true;
}
