/* SPDX-License-Identifier: Apache-2.0 */
/* What /proc says about a process to attach to. The parsers take any text: the process may be
 * hostile, or may end at any moment. */
#ifndef IXOR_PROCESS_H
#define IXOR_PROCESS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "schema/base/error.h"

/* At most this many supplementary groups are taken over; further ones are ignored. */
#define IXOR_GROUPS_MAX 64

/* /proc/PID/status */
struct ixor_proc {
    pid_t group;  /* Tgid: the process that a thread belongs to */
    pid_t ns_pid; /* as the process itself sees it, in the innermost PID namespace */
    uid_t uid;    /* effective, in our user namespace; as is gid */
    gid_t gid;
    gid_t groups[IXOR_GROUPS_MAX]; /* supplementary ones */
    size_t group_count;
    char state;      /* R, S, D, T (stopped), t (traced), Z, X */
    bool takes_quit; /* has a handler for SIGQUIT */
};

/* `text` is terminated. -1 if a field is missing or not a number. */
int ixor_status_parse(const char *text, struct ixor_proc *out);
/* -1 with a message if there is no such process. */
int ixor_status_read(pid_t pid, struct ixor_proc *out, struct ix_error *err);

/* If run by root, takes on the (effective) user, group and supplementary groups of a process,
 * permanently; for other users does nothing. 0 or -1. */
int ixor_become_user_of(const struct ixor_proc *p, struct ix_error *err);

/* /proc/PID/maps */
struct ixor_maps {
    bool hotspot;         /* libjvm.so, and not that of OpenJ9 */
    char agent[PATH_MAX]; /* the agent, if it is loaded; empty if not */
};

/* Parses one line, without its newline, into *out. */
void ixor_maps_line(const char *line, struct ixor_maps *out);
int ixor_maps_read(pid_t pid, struct ixor_maps *out, struct ix_error *err);

/* True if the agent's thread runs in the process: its library stays after detaching. */
bool ixor_agent_runs(pid_t pid);
/* The process's name, at most 15 bytes, safe to print; "?" if it is not known. */
void ixor_process_name(pid_t pid, char name[64]);

/* `words`: a command line or an environment, separated by zero bytes or blanks. True if the last
 * word that sets DisableAttachMechanism turns it on. */
bool ixor_attach_disabled(const char *words, size_t size);

#endif
