/* SPDX-License-Identifier: Apache-2.0 */
#include "server/base/proc_stat.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool ixor_proc_stat_read(pid_t pid, struct ixor_proc_stat *out)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    if (n <= 0)
        return false;
    text[n] = '\0';
    /* The name, in brackets, may contain anything, including brackets and blanks. */
    const char *after = strrchr(text, ')');
    char state;
    long parent;
    unsigned long long started;
    if (!after || sscanf(after + 1,
                         " %c %ld %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d "
                         "%*d %llu",
                         &state, &parent, &started) != 3)
        return false;
    *out = (struct ixor_proc_stat){.parent = (pid_t)parent, .started = started};
    return state != 'Z' && state != 'X';
}
