/* SPDX-License-Identifier: Apache-2.0 */
#include "server/commands/offspring.h"

#include <stdlib.h>
#include <string.h>

#include "schema/protocol/machine.h"
#include "server/attach/process.h"
#include "server/launch/descendants.h"

#define LOOK_S 1 /* looking takes some ms on a host with hundreds of processes */

struct ixor_offspring {
    const struct ixor_context *context;
    struct event *timer;
    struct ixor_processes found;
    char machine[IX_MACHINE_MAX + 1];
};

/* Is a test going on in it? Process ids of another machine say nothing here. */
static bool runs_test(const struct ixor_offspring *o, pid_t pid)
{
    const struct ixor_jvm *jvm;
    TAILQ_FOREACH(jvm, &o->context->jvms, links)
    if ((pid_t)jvm->hello->pid == pid && strcmp(jvm->hello->machine, o->machine) == 0)
        return true;
    return false;
}

static bool is_known(const struct ixor_offspring *o, const struct ixor_process *p)
{
    for (size_t i = 0; i < o->found.count; i++)
        if (o->found.at[i].pid == p->pid && o->found.at[i].started == p->started)
            return true;
    return false;
}

static int by_pid(const void *a, const void *b)
{
    const struct ixor_process *x = a, *y = b;
    return (x->pid > y->pid) - (x->pid < y->pid);
}

/* Did a JVM start it in which a test is going on? At most as many steps as there are processes,
 * which were not all listed at one instant. */
static bool is_of_test(const struct ixor_offspring *o, const struct ixor_processes *all,
                       const struct ixor_process *p)
{
    for (size_t steps = 0; p && steps < all->count; steps++) {
        const struct ixor_process parent = {.pid = p->parent};
        if (runs_test(o, parent.pid))
            return true;
        p = bsearch(&parent, all->at, all->count, sizeof parent, by_pid);
    }
    return false;
}

static void look_cb(evutil_socket_t fd, short what, void *user)
{
    struct ixor_offspring *o = user;
    struct ixor_processes all = {0};
    (void)fd, (void)what;
    if (TAILQ_EMPTY(&o->context->jvms))
        return;
    const bool listed = ixor_descendants(&all, NULL) == 0;
    for (size_t i = 0; listed && i < all.count; i++) {
        const struct ixor_process *p = &all.at[i];
        if (!runs_test(o, p->pid) && !is_known(o, p) && is_of_test(o, &all, p) &&
            ixor_agent_runs(p->pid))
            ixor_processes_add(&o->found, p); /* if memory is short, next time */
    }
    ixor_processes_free(&all);
}

struct ixor_offspring *ixor_offspring_new(struct event_base *base,
                                          const struct ixor_context *context, struct ix_error *err)
{
    const struct timeval every = {.tv_sec = LOOK_S};
    struct ixor_offspring *o = calloc(1, sizeof *o);
    if (!o) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    o->context = context;
    ix_machine_name(o->machine);
    o->timer = event_new(base, -1, EV_PERSIST, look_cb, o);
    if (o->timer && event_add(o->timer, &every) == 0)
        return o;
    ixor_offspring_free(o);
    ix_fail(err, "out of memory");
    return NULL;
}

size_t ixor_offspring_count(const struct ixor_offspring *o)
{
    return o->found.count;
}

void ixor_offspring_free(struct ixor_offspring *o)
{
    if (!o)
        return;
    if (o->timer)
        event_free(o->timer);
    ixor_processes_free(&o->found);
    free(o);
}
