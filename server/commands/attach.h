/* SPDX-License-Identifier: Apache-2.0 */
/* Attaching to JVMs and detaching from them: one (attach.c), those that one talks to (follow.c),
 * all of a campaign (detach_all.c). */
#ifndef IXOR_COMMAND_ATTACH_H
#define IXOR_COMMAND_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "server/commands/common_options.h"

#define IXOR_FOLLOW_MAX 4096 /* JVMs at a time */

struct ixor_attach_options {
    const char *dir; /* NULL */
    pid_t pid;
    uint64_t timeout_ns;
    const char *server, *role, *execution, *log, *more; /* NULL */
    struct ixor_agent_option agent;
    bool follow, all;
    uint64_t for_ns; /* 0: no limit */
    size_t limit;
};

/* Attaches to o->pid and prints what the agent answered. Root takes on the JVM's user for good: see
 * attach_protocol.h. 0 or -1. */
int ixor_attach(const struct ixor_attach_options *o, struct ix_error *err);
int ixor_detach(const struct ixor_attach_options *o, struct ix_error *err);
/* The same in a process of its own, so that this one keeps its user. Not with threads. */
int ixor_attach_apart(int (*work)(const struct ixor_attach_options *o, struct ix_error *err),
                      const struct ixor_attach_options *o, pid_t pid, struct ix_error *err);

/* Attaches to o->pid, and then to the JVMs of this host that it talks to, and on from there, until
 * a signal, the end of the first JVM, or o->for_ns. -1 if the first cannot be attached. */
int ixor_follow(const struct ixor_attach_options *o, struct ix_error *err);
/* Detaches from the JVMs of this host that have a log of campaign o->dir open. -1 if one cannot be
 * detached. */
int ixor_detach_all(const struct ixor_attach_options *o, struct ix_error *err);

#endif
