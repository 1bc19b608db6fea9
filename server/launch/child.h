/* One run's command as a process, and the end of everything it started.
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

#include "schema/error.h"

#define IXOR_TERM_MS 2000 /* between SIGTERM and SIGKILL */
#define IXOR_STUCK_MS 10000 /* a process that outlives SIGKILL by this is given up */

struct ixor_child;

struct ixor_child_events {
    /* The command itself has ended; its remains are being ended. */
    void (*ended)(void *user);
    /* Nothing of it is left (stuck: but for processes that even SIGKILL did not end). The child
     * may be freed in it. */
    void (*gone)(void *user, size_t stuck);
    void *user;
};

/* Whether `command` can be run: a path, or a name found on PATH. 0, or -1 with a message. */
int ixor_child_check(const char *command, struct ix_error *err);

/* Starts argv in a process group of its own, with stdin from /dev/null and stdout and stderr to
 * `output` (a file made anew; NULL: as ours). `environment` as for execve(2). NULL if it cannot be
 * executed: then nothing runs. ixor_become_subreaper must have been called. */
struct ixor_child *ixor_child_start(struct event_base *base, char *const argv[],
                                    char *const environment[], const char *output,
                                    const struct ixor_child_events *events, struct ix_error *err);

/* Ends the command and what it started. at_once: SIGKILL without SIGTERM first. */
void ixor_child_end(struct ixor_child *c, bool at_once);

/* How the command ended, once `ended` was called: -1 and the signal, or the status and 0. */
int ixor_child_exit_status(const struct ixor_child *c);
int ixor_child_exit_signal(const struct ixor_child *c);

/* c may be NULL. Ends nothing. */
void ixor_child_free(struct ixor_child *c);

#endif
