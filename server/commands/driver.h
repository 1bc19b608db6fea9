/* SPDX-License-Identifier: Apache-2.0 */
/* What all runs of one call of `ixor run` share: the campaign, the event loop, the server, and what
 * was found out about the runs so far. */
#ifndef IXOR_DRIVER_H
#define IXOR_DRIVER_H

#include <event2/event.h>

#include "server/commands/run_options.h"
#include "server/launch/progress.h"
#include "server/session/service.h"
#include "server/store/campaign.h"
#include "server/viewer/http.h"

/* The call of COMMAND that is under way: what the driver's events mean to it. */
struct ixor_at_hand {
    const char *name;
    const struct ixor_execution *execution; /* NULL: the runs are those of its tests */
    void (*stop_sampling)(void *user);
    void (*end_early)(void *user, bool at_once); /* at_once: by SIGKILL */
    void (*vm_left)(void *user, const struct ixor_departure *d);
    void (*warned)(void *user, const char *text);
    void *user;
};

/* Zero but for `options` and `campaign` (IXOR_NO_CAMPAIGN) before ixor_driver_start. */
struct ixor_driver {
    const struct ixor_run_options *options;
    struct event_base *base;
    struct ixor_campaign campaign;
    struct ixor_writer *writer;
    struct ixor_service *service;
    struct ixor_http *http; /* NULL: no viewer */
    struct ixor_progress progress;
    struct event *signals[3], *redraw, *watch;
    char *agent, *command_line;
    char *junit_jar; /* with --tests; else NULL */
    char *cgroup;    /* for disturbed runs; NULL: none */
    char server[IXOR_ADDRESS_TEXT], key[IX_KEY_TEXT];
    unsigned series; /* number of the last run in the catalogue */
    bool fresh;      /* there was none before */

    const struct ixor_at_hand *at_hand; /* NULL between runs */
    int64_t *ids;                       /* runs of this call */
    size_t id_count;
    bool any_vm;
    size_t without_vm; /* runs without a JVM that loaded the agent */
    uint64_t taken, lost_logs, stopped_logs;
    bool gone;  /* the campaign was removed, which has been reported */
    int signal; /* the signal that interrupted; 0 none */
};

/* Checks the command line's errors first, so that they leave nothing behind; then opens the
 * campaign and starts the server. 0 or -1; ixor_driver_stop in any case. */
int ixor_driver_start(struct ixor_driver *d, struct ix_error *err);
void ixor_driver_stop(struct ixor_driver *d);

/* Whether the campaign is still there; if not, COMMAND continues, but nothing recorded from now on
 * can be found. Reports that once. */
bool ixor_driver_is_there(struct ixor_driver *d);

#endif
