/* SPDX-License-Identifier: Apache-2.0 */
#include "server/base/loop.h"

#include <signal.h>
#include <sys/resource.h>

#include "server/base/reserve.h"

/* Callbacks in a row before events of higher priority are checked again. One may take as long as a
 * TLS handshake, a millisecond; usual ones 10 us. */
#define CALLBACKS_MAX 256
#define INTERVAL_US 2000

struct event_base *ixor_loop_new(void)
{
    const struct timeval interval = {.tv_usec = INTERVAL_US};
    ixor_reserve_use();
    struct event_config *config = event_config_new();
    if (!config)
        return NULL;
    struct event_base *base = NULL;
    if (event_config_set_max_dispatch_interval(config, &interval, CALLBACKS_MAX,
                                               IXOR_PRIORITY_REST) == 0)
        base = event_base_new_with_config(config);
    event_config_free(config);
    if (base && event_base_priority_init(base, IXOR_PRIORITY_REST + 1) != 0) {
        event_base_free(base);
        return NULL;
    }
    return base;
}

bool ixor_hangup_is_ignored(void)
{
    struct sigaction now;
    return sigaction(SIGHUP, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

static struct rlimit before; /* rlim_max 0: not raised */

void ixor_raise_descriptor_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    before = limit;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        before.rlim_max = 0;
}

void ixor_restore_descriptor_limit(void)
{
    if (before.rlim_max)
        setrlimit(RLIMIT_NOFILE, &before);
}
