/* SPDX-License-Identifier: Apache-2.0 */
#include "server/base/proc_stat.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "schema/base/units.h"

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

int ixor_each_process(ixor_on_process *visit, void *user, struct ix_error *err)
{
    DIR *proc = opendir("/proc");
    if (!proc)
        return ix_fail(err, "cannot read /proc: %s", strerror(errno));
    int result = 0;
    for (struct dirent *e; result == 0 && (e = readdir(proc));) {
        uint64_t pid;
        if (ix_parse_number(e->d_name, strlen(e->d_name), &pid) && pid > 0 && pid <= INT_MAX)
            result = visit(user, (pid_t)pid, err);
    }
    closedir(proc);
    return result;
}
