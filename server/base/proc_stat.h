/* SPDX-License-Identifier: Apache-2.0 */
/* /proc: which processes there are, and which process a pid is, although pids are used again. */
#ifndef IXOR_PROC_STAT_H
#define IXOR_PROC_STAT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "schema/base/error.h"

struct ixor_proc_stat {
    pid_t parent;
    uint64_t started; /* clock ticks since boot */
};

/* False if the process no longer exists or is a zombie. */
bool ixor_proc_stat_read(pid_t pid, struct ixor_proc_stat *out);

/* Visits each process, until a visit does not return 0. Returns what the last visit returned, or -1
 * with a message if /proc cannot be read. */
typedef int ixor_on_process(void *user, pid_t pid, struct ix_error *err);
int ixor_each_process(ixor_on_process *visit, void *user, struct ix_error *err);

#endif
