/* SPDX-License-Identifier: Apache-2.0 */
#include "server/launch/namesakes.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/base/grow.h"
#include "server/base/units.h"

/* From its start to its end, by the wall clock. */
struct life {
    int64_t pid, from, to;
};

struct search {
    struct ixor_namesakes *found;
    char role[IX_NAME_MAX + 1]; /* of the JVMs below; the catalogue lists them role by role */
    struct life *lives;         /* owned */
    size_t count, cap;
    struct ix_error *err;
};

static bool at_once(const struct life *a, const struct life *b)
{
    const bool same_jvm = a->pid == b->pid && a->from == b->from;
    return !same_jvm && a->from < b->to && b->from < a->to;
}

static int take_vm(void *user, const struct ix_vm *vm)
{
    struct search *s = user;
    const struct life life = {vm->pid, vm->started_ns, vm->ended_ns ? vm->ended_ns : INT64_MAX};
    size_t together = 1;
    if (strcmp(vm->role, s->role) != 0) {
        snprintf(s->role, sizeof s->role, "%s", vm->role);
        s->count = 0;
    }
    for (size_t i = 0; i < s->count; i++)
        together += at_once(&s->lives[i], &life);
    if (together > 1 && together > s->found->count) {
        s->found->count = together;
        ixor_safe_text(vm->role, s->found->role, sizeof s->found->role);
    }
    return ix_append(s->lives, s->count, s->cap, life) == 0 ? 0 : ix_fail(s->err, "out of memory");
}

int ixor_namesakes_find(struct ix_catalogue *c, int64_t execution, struct ixor_namesakes *found,
                        struct ix_error *err)
{
    struct search s = {.found = found, .err = err};
    *found = (struct ixor_namesakes){0};
    const int result = ix_catalogue_vms(c, execution, take_vm, &s, err);
    free(s.lives);
    return result;
}
