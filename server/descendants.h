/* The processes that a command has left behind, found through /proc.
 *
 * The program makes itself a child subreaper (prctl(2)), so that whatever a command starts stays
 * below it in the process tree: also daemons that forked twice or called setsid.
 */
#ifndef IXOR_DESCENDANTS_H
#define IXOR_DESCENDANTS_H

#include <stdint.h>
#include <sys/types.h>

#include "schema/error.h"

struct ixor_process {
    pid_t pid, parent;
    uint64_t started; /* clock ticks since boot, as /proc/PID/stat has it */
    int below;        /* a descendant of this process */
};

struct ixor_processes {
    struct ixor_process *at; /* owned */
    size_t count, room;
};

int ixor_become_subreaper(struct ix_error *err);

/* When a process started; 0 if it is not there. */
uint64_t ixor_process_started(pid_t pid);

/* Lists the living descendants of this process that started at `since` or later (so that children
 * it had before the command are left alone). Zombies do not count. 0 or -1; `found` is replaced,
 * ixor_processes_free releases it. O(processes of the machine x depth of the tree). */
int ixor_descendants(struct ixor_processes *found, uint64_t since, struct ix_error *err);
void ixor_processes_free(struct ixor_processes *list);

#endif
