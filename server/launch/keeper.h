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
 */
#ifndef IXOR_KEEPER_H
#define IXOR_KEEPER_H

#include <stdint.h>
#include <sys/types.h>

#include "schema/base/error.h"

#define IXOR_TERM_MS 2000   /* between SIGTERM and SIGKILL */
#define IXOR_STUCK_MS 10000 /* then a process that outlives SIGKILL is given up */

/* Orders to the keeper, one byte each. */
#define IXOR_KEEPER_END 'e'     /* ends the command and what it started */
#define IXOR_KEEPER_AT_ONCE 'k' /* SIGKILL without SIGTERM first */

/* What the keeper reports, one struct per message; end of file when it has exited. */
enum ixor_keeper_event {
    IXOR_KEEPER_ENDED, /* the command; value: its status as in wait(2) */
    IXOR_KEEPER_GONE,  /* all processes have ended; value: how many outlived SIGKILL */
};
struct ixor_keeper_report {
    int32_t event, value;
};

/* Starts a keeper with its command: argv and environment as for execve(2), stdin from `null`,
 * stdout and stderr to `output` (-1: inherited). Returns its process id, and in *talk a socket
 * (SOCK_SEQPACKET) for orders and reports. -1 if the command cannot be executed; then no process is
 * left running.
 */
pid_t ixor_keeper_start(char *const argv[], char *const environment[], int null, int output,
                        int *talk, struct ix_error *err);

#endif
