/* What /proc tells of a process that is to be attached to. The parsers take any text: the process
 * may be hostile, or may end at any moment. */
#ifndef IXOR_PROCESS_H
#define IXOR_PROCESS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "schema/error.h"

/* /proc/PID/status */
struct ixor_proc {
    pid_t group;  /* Tgid: the process that a thread belongs to */
    pid_t ns_pid; /* as the process itself sees it, in the innermost PID namespace */
    uid_t uid;    /* effective, in our user namespace; as is gid */
    gid_t gid;
    char state;   /* R, S, D, T (stopped), t (traced), Z, X */
    bool takes_quit; /* has a handler for SIGQUIT */
};

/* `text` is terminated. -1 if a field is missing or is no number. */
int ixor_status_parse(const char *text, struct ixor_proc *out);
/* -1 with a message if there is no such process. */
int ixor_status_read(pid_t pid, struct ixor_proc *out, struct ix_error *err);

/* /proc/PID/maps */
struct ixor_maps {
    bool hotspot; /* libjvm.so, and not that of OpenJ9 */
    char agent[PATH_MAX]; /* the agent, if it is loaded; empty if not */
};

/* One line of it, without the newline, into *out. */
void ixor_maps_line(const char *line, struct ixor_maps *out);
int ixor_maps_read(pid_t pid, struct ixor_maps *out, struct ix_error *err);

/* Words end with a zero byte or a blank: a command line, or an environment. True if the last word
 * that switches DisableAttachMechanism switches it on. */
bool ixor_attach_disabled(const char *words, size_t size);

#endif
