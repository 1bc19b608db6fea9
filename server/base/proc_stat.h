/* SPDX-License-Identifier: Apache-2.0 */
/* /proc/PID/stat: which process this is, although process ids are used again. */
#ifndef IXOR_PROC_STAT_H
#define IXOR_PROC_STAT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct ixor_proc_stat {
    pid_t parent;
    uint64_t started; /* clock ticks since boot */
};

/* False if the process no longer exists or is a zombie. */
bool ixor_proc_stat_read(pid_t pid, struct ixor_proc_stat *out);

#endif
