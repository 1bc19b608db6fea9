/* SPDX-License-Identifier: Apache-2.0 */
/* The keeper: a process between ixor and a command.
 *
 * It starts the command and is the subreaper (prctl(2)) of everything the command starts, including
 * daemons that forked twice or called setsid. So the keeper's descendants are exactly the command's
 * processes: children of a shell that became ixor by exec, or other processes of a container in
 * which ixor is process 1, are not among them and are never signalled.
 *
 * When the command ends, when ordered to, or when ixor has died (kill -9), the keeper ends all
 * remaining processes: SIGTERM, after IXOR_TERM_MS SIGKILL. It exits when it has no children left.
 *
 * It also stops a process for a short time if ixor orders so. That it does so itself, and only to
 * the command's processes, ensures that none stays stopped: not if ixor is killed, nor if it is
 * stopped.
 */
#ifndef IXOR_KEEPER_H
#define IXOR_KEEPER_H

#include <stdint.h>
#include <sys/types.h>

#include "schema/base/error.h"

#define IXOR_TERM_MS 2000   /* between SIGTERM and SIGKILL */
#define IXOR_STUCK_MS 10000 /* then a process that outlives SIGKILL is given up */

/* Orders to the keeper, one struct per message. */
enum ixor_keeper_what {
    IXOR_KEEPER_END,     /* ends the command and what it started */
    IXOR_KEEPER_AT_ONCE, /* the same by SIGKILL, without SIGTERM first */
    IXOR_KEEPER_PAUSE,   /* stops a process for some time; only one at a time */
};
struct ixor_keeper_order {
    int32_t what;
    int32_t pid;      /* of the process to be paused */
    uint64_t started; /* as in struct ixor_process */
    uint64_t ns;      /* how long */
};

/* What the keeper reports, one struct per message; end of file when it has exited. */
enum ixor_keeper_event {
    IXOR_KEEPER_ENDED,  /* the command; value: its status as in wait(2) */
    IXOR_KEEPER_PAUSED, /* a process is about to be stopped, as ordered; value: its id. 0: it is not
                           stopped, because it has ended or is none of the command's */
    IXOR_KEEPER_RESUMED, /* it goes on */
    IXOR_KEEPER_GONE,    /* all processes have ended; value: how many outlived SIGKILL */
};
struct ixor_keeper_report {
    int32_t event, value;
    uint64_t at_ns; /* monotonic clock */
};

/* What makes it harder for the command. */
struct ixor_load {
    unsigned hogs;      /* busy processes beside it, as long as it runs */
    const char *cgroup; /* it runs in this control group (cgroup.h), which the keeper removes when
                           it exits; NULL: none */
    unsigned cpu;       /* the group's share, in percent of one processor */
};

/* Starts a keeper with its command: argv and environment as for execve(2), stdin from `null`,
 * stdout and stderr to `output` (-1: inherited); load may be NULL. Returns its process id, and in
 * *talk a socket (SOCK_SEQPACKET) for orders and reports. -1 if the command cannot be executed;
 * then no process is left running.
 */
pid_t ixor_keeper_start(char *const argv[], char *const environment[], int null, int output,
                        const struct ixor_load *load, int *talk, struct ix_error *err);

#endif
