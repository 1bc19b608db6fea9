/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one run's command as a process and ends everything it started, with the help of a keeper
 * (keeper.h).
 *
 * Event-driven: nothing here waits. The life of a child:
 *
 *   start -> (command ends, or ixor_child_end) -> what is left gets SIGTERM, after
 *   IXOR_TERM_MS SIGKILL -> nothing is left -> `gone` is called once
 */
#ifndef IXOR_CHILD_H
#define IXOR_CHILD_H

#include <event2/event.h>
#include <stdbool.h>
#include <stdint.h>

#include "schema/base/error.h"
#include "server/launch/keeper.h"

/* The keeper was killed, by another program or for lack of memory. */
#define IXOR_STUCK_UNKNOWN SIZE_MAX

struct ixor_child;

struct ixor_child_events {
    /* The command itself has ended; the processes it left are being ended. */
    void (*ended)(void *user);
    /* All its processes have ended, except `stuck` ones that outlived SIGKILL (or
     * IXOR_STUCK_UNKNOWN). The callback may free the child. */
    void (*gone)(void *user, size_t stuck);
    /* After ixor_child_pause: the process is being stopped (false: it has ended, or is none of the
     * command's); and, if so, goes on. May be NULL if there are no pauses. */
    void (*paused)(void *user, bool stopped);
    void (*resumed)(void *user);
    void *user;
};

/* Whether `command` can be run: a path, or a name found on PATH. 0, or -1 with a message. */
int ixor_child_check(const char *command, struct ix_error *err);

/* As `output`: both go to ixor's stderr, because its stdout is for JSON. */
extern const char ixor_to_stderr[];

/* Starts argv in a session of its own, with stdin from /dev/null and stdout and stderr to `output`
 * (created or truncated; NULL: inherited). `environment` as for execve(2); load may be
 * NULL. NULL if it cannot be executed; then no process is left running. */
struct ixor_child *ixor_child_start(struct event_base *base, char *const argv[],
                                    char *const environment[], const char *output,
                                    const struct ixor_load *load,
                                    const struct ixor_child_events *events, struct ix_error *err);

/* Stops a process of the command for ns, if no other one is stopped. */
void ixor_child_pause(struct ixor_child *c, pid_t pid, uint64_t ns);

/* Ends the command and what it started. at_once: SIGKILL without SIGTERM first. */
void ixor_child_end(struct ixor_child *c, bool at_once);

/* Takes what the keeper has reported already. After ixor was stopped (Ctrl-Z) its timers are due
 * before it has looked. */
void ixor_child_look(struct ixor_child *c);

/* How the command ended, once `ended` was called: -1 and the signal, or the status and 0. */
int ixor_child_exit_status(const struct ixor_child *c);
int ixor_child_exit_signal(const struct ixor_child *c);
uint64_t ixor_child_ended_ns(const struct ixor_child *c); /* monotonic clock */

/* c may be NULL. Processes that the command left will be ended, but this does not wait for that. */
void ixor_child_free(struct ixor_child *c);

#endif
