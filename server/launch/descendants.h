/* SPDX-License-Identifier: Apache-2.0 */
/* The descendants of this process, found through /proc. */
#ifndef IXOR_DESCENDANTS_H
#define IXOR_DESCENDANTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "schema/base/error.h"

struct ixor_process {
    pid_t pid, parent;
    uint64_t started; /* clock ticks since boot, from /proc/PID/stat */
    int below;        /* a descendant of this process */
};

struct ixor_processes {
    struct ixor_process *at; /* owned */
    size_t count, room;
};

/* Lists the living descendants of this process; zombies do not count. 0 or -1; `found` is replaced,
 * ixor_processes_free releases it. O(processes on the machine x depth of the tree). */
int ixor_descendants(struct ixor_processes *found, struct ix_error *err);
/* 0, or -1: out of memory. */
int ixor_processes_add(struct ixor_processes *list, const struct ixor_process *p);
void ixor_processes_free(struct ixor_processes *list);

/* Whether the process lives; then fills in *p, except `below`. */
bool ixor_process_read(pid_t pid, struct ixor_process *p);
/* Whether it is a descendant of this process. O(depth of the tree). */
bool ixor_process_is_below(pid_t pid);
/* Sends a signal to this process, never to a later one with the same process id. */
void ixor_process_signal(const struct ixor_process *p, int sig);

#endif
