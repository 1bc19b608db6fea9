/* SPDX-License-Identifier: Apache-2.0 */
#include "server/launch/descendants.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "server/base/proc_stat.h"

bool ixor_process_read(pid_t pid, struct ixor_process *p)
{
    struct ixor_proc_stat stat;
    const bool lives = ixor_proc_stat_read(pid, &stat);
    if (lives)
        *p = (struct ixor_process){.pid = pid, .parent = stat.parent, .started = stat.started};
    return lives;
}

bool ixor_process_is_below(pid_t pid)
{
    struct ixor_process p;
    const pid_t self = getpid();
    while (pid > 1 && ixor_process_read(pid, &p)) {
        if (p.parent == self)
            return true;
        pid = p.parent;
    }
    return false;
}

int ixor_processes_add(struct ixor_processes *list, const struct ixor_process *p)
{
    if (list->count == list->room) {
        size_t more = list->room ? list->room * 2 : 256;
        struct ixor_process *bigger = reallocarray(list->at, more, sizeof *bigger);
        if (!bigger)
            return -1;
        list->at = bigger;
        list->room = more;
    }
    list->at[list->count++] = *p;
    return 0;
}

static int list_one(void *list, pid_t pid, struct ix_error *err)
{
    struct ixor_process p;
    return ixor_process_read(pid, &p) && ixor_processes_add(list, &p) != 0
               ? ix_fail(err, "out of memory")
               : 0;
}

static int list_all(struct ixor_processes *list, struct ix_error *err)
{
    list->count = 0;
    return ixor_each_process(list_one, list, err);
}

static int by_pid(const void *a, const void *b)
{
    const struct ixor_process *x = a, *y = b;
    return (x->pid > y->pid) - (x->pid < y->pid);
}

/* Marks level by level: a process is a descendant if its parent is. */
static void mark_below(struct ixor_processes *list, pid_t root)
{
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < list->count; i++) {
            struct ixor_process *p = &list->at[i], key = {.pid = p->parent};
            if (p->below)
                continue;
            const struct ixor_process *parent =
                bsearch(&key, list->at, list->count, sizeof key, by_pid);
            if (p->parent == root || (parent && parent->below && parent->pid != root))
                p->below = more = true;
        }
    }
}

int ixor_descendants(struct ixor_processes *found, struct ix_error *err)
{
    if (list_all(found, err) != 0)
        return -1;
    if (found->count)
        qsort(found->at, found->count, sizeof *found->at, by_pid);
    mark_below(found, getpid());
    size_t kept = 0;
    for (size_t i = 0; i < found->count; i++) {
        if (found->at[i].below)
            found->at[kept++] = found->at[i];
    }
    found->count = kept;
    return 0;
}

void ixor_processes_free(struct ixor_processes *list)
{
    free(list->at);
    *list = (struct ixor_processes){0};
}

void ixor_process_signal(const struct ixor_process *p, int sig)
{
    struct ixor_process now;
    const int fd = (int)syscall(SYS_pidfd_open, p->pid, 0u);
    const bool unknown = fd < 0 && errno == ENOSYS; /* before Linux 5.3 */
    if (ixor_process_read(p->pid, &now) && now.started == p->started) {
        if (fd >= 0)
            syscall(SYS_pidfd_send_signal, fd, sig, NULL, 0u);
        else if (unknown)
            kill(p->pid, sig);
    }
    if (fd >= 0)
        close(fd);
}
