/* SPDX-License-Identifier: Apache-2.0 */
/* ixor detach --all: from the JVMs of this host that write to a campaign. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/attach/process.h"
#include "server/base/command.h"
#include "server/base/proc_stat.h"
#include "server/commands/attach.h"

struct detached {
    const struct ixor_attach_options *o;
    char dir[PATH_MAX]; /* absolute, with a slash at its end */
    size_t done, failed, hidden;
};

/* 1: a descriptor of the process is a log in the directory; 0: none is; -1: they cannot be seen. */
static int writes_to(pid_t pid, const char *dir)
{
    char path[64];
    int found = 0;
    snprintf(path, sizeof path, "/proc/%ld/fd", (long)pid);
    DIR *fds = opendir(path);
    if (!fds)
        return errno == ENOENT || errno == ESRCH ? 0 : -1;
    for (struct dirent *e; !found && (e = readdir(fds));) {
        char target[PATH_MAX];
        const ssize_t len = readlinkat(dirfd(fds), e->d_name, target, sizeof target - 1);
        if (len <= 0)
            continue;
        target[len] = '\0';
        found = strncmp(target, dir, strlen(dir)) == 0 && strstr(target, ".ixl") != NULL;
    }
    closedir(fds);
    return found;
}

/* What fails is counted; the others are detached all the same. */
static int detach_one(void *user, pid_t pid, struct ix_error *err)
{
    struct detached *d = user;
    struct ix_error why = {""};
    (void)err;
    if (!ixor_agent_runs(pid))
        return 0;
    const int writes = writes_to(pid, d->dir);
    if (writes < 0) {
        d->hidden++;
    } else if (writes && ixor_attach_apart(ixor_detach, d->o, pid, &why) == 0) {
        d->done++;
    } else if (writes) {
        ixor_notice("%s", why.text);
        d->failed++;
    }
    return 0;
}

int ixor_detach_all(const struct ixor_attach_options *o, struct ix_error *err)
{
    struct detached d = {.o = o};
    char *dir = realpath(o->dir, NULL);
    if (!dir)
        return ix_fail(err, "'%s': %s", o->dir, strerror(errno));
    const int len = snprintf(d.dir, sizeof d.dir, "%s/", dir);
    free(dir);
    if (len >= (int)sizeof d.dir)
        return ix_fail(err, "'%.60s...': the name is too long", o->dir);
    if (ixor_each_process(detach_one, &d, err) != 0)
        return -1;
    if (d.hidden)
        ixor_notice("%zu JVM%s of other users %s the agent, and may write to this campaign; run "
                    "ixor as root to reach them",
                    d.hidden, d.hidden == 1 ? "" : "s", d.hidden == 1 ? "has" : "have");
    if (!d.done && !d.failed)
        return ix_fail(err, "no JVM of this host has a log in '%s' open", o->dir);
    return d.failed
               ? ix_fail(err, "%zu of %zu JVMs could not be detached", d.failed, d.done + d.failed)
               : 0;
}
