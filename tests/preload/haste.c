/* SPDX-License-Identifier: Apache-2.0 */
/* For LD_PRELOAD: time passes $HASTE (400) times as fast for the agent, and for nobody else in the
 * process, so that a session that ends is soon followed by the next one. Its clock and its sleeps
 * are those that libixor.so itself asks for. */
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int (*true_clock)(clockid_t id, struct timespec *t);
static int (*true_ppoll)(struct pollfd *fds, nfds_t n, const struct timespec *t,
                         const sigset_t *mask);
static int64_t factor, origin;

static int64_t ns_of(const struct timespec *t)
{
    return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

static struct timespec time_of(int64_t ns)
{
    return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("HASTE");
    struct timespec now;
    *(void **)&true_clock = dlsym(RTLD_NEXT, "clock_gettime");
    *(void **)&true_ppoll = dlsym(RTLD_NEXT, "ppoll");
    true_clock(CLOCK_MONOTONIC, &now);
    origin = ns_of(&now);
    factor = text ? strtol(text, NULL, 10) : 400;
}

static bool is_agent(const void *caller)
{
    static const void *last; /* most calls come from the same few places of the agent */
    Dl_info info;
    if (caller == last)
        return true;
    if (!dladdr(caller, &info) || !info.dli_fname || !strstr(info.dli_fname, "libixor"))
        return false;
    last = caller;
    return true;
}

__attribute__((visibility("default"))) int clock_gettime(clockid_t id, struct timespec *t)
{
    if (!true_clock)
        begin(); /* somebody else's constructor came first */
    const int bad = true_clock(id, t);
    if (!bad && id == CLOCK_MONOTONIC && is_agent(__builtin_return_address(0)))
        *t = time_of(origin + (ns_of(t) - origin) * factor);
    return bad;
}

__attribute__((visibility("default"))) int ppoll(struct pollfd *fds, nfds_t n,
                                                 const struct timespec *t, const sigset_t *mask)
{
    struct timespec shorter;
    if (t && is_agent(__builtin_return_address(0))) {
        shorter = time_of(ns_of(t) / factor);
        t = &shorter;
    }
    return true_ppoll(fds, n, t, mask);
}
