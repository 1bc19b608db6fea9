/* SPDX-License-Identifier: Apache-2.0 */
#include "server/store/listing.h"

#include <stdlib.h>
#include <string.h>

/* A list that could not grow says so through the listing's return value. */
#define OUT_OF_MEMORY 1

static void copy(const char **text)
{
    if (*text)
        *text = strdup(*text);
}

static int add_execution(void *user, const struct ix_execution *e)
{
    struct ixor_execution_list *list = user;
    if (list->count == list->room) {
        size_t more = list->room ? list->room * 2 : 64;
        struct ix_execution *bigger = reallocarray(list->at, more, sizeof *bigger);
        if (!bigger)
            return OUT_OF_MEMORY;
        list->at = bigger;
        list->room = more;
    }
    struct ix_execution *added = &list->at[list->count++];
    *added = *e;
    copy(&added->name);
    copy(&added->verdict_by);
    copy(&added->command);
    copy(&added->disturbed);
    bool whole = added->name && !added->verdict_by == !e->verdict_by &&
                 !added->command == !e->command && !added->disturbed == !e->disturbed;
    return whole ? 0 : OUT_OF_MEMORY;
}

static int add_vm(void *user, const struct ix_vm *vm)
{
    struct ixor_vm_list *list = user;
    if (list->count == list->room) {
        size_t more = list->room ? list->room * 2 : 64;
        struct ix_vm *bigger = reallocarray(list->at, more, sizeof *bigger);
        if (!bigger)
            return OUT_OF_MEMORY;
        list->at = bigger;
        list->room = more;
    }
    struct ix_vm *added = &list->at[list->count++];
    *added = *vm;
    copy(&added->role);
    copy(&added->host);
    copy(&added->jvm);
    copy(&added->log);
    copy(&added->ended);
    copy(&added->ended_text);
    copy(&added->log_there);
    copy(&added->log_state);
    copy(&added->log_copy);
    bool whole = added->role && added->host && added->jvm && added->log && added->ended &&
                 !added->ended_text == !vm->ended_text && added->log_there && added->log_state &&
                 !added->log_copy == !vm->log_copy;
    return whole ? 0 : OUT_OF_MEMORY;
}

static int result(int listed, struct ix_error *err)
{
    return listed == OUT_OF_MEMORY ? ix_fail(err, "out of memory") : listed;
}

int ixor_list_executions(struct ixor_execution_list *list, struct ix_catalogue *c,
                         struct ix_error *err)
{
    return result(ix_catalogue_executions(c, add_execution, list, err), err);
}

int ixor_list_vms(struct ixor_vm_list *list, struct ix_catalogue *c, int64_t execution,
                  struct ix_error *err)
{
    return result(ix_catalogue_vms(c, execution, add_vm, list, err), err);
}

void ixor_execution_list_free(struct ixor_execution_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free((char *)list->at[i].name);
        free((char *)list->at[i].verdict_by);
        free((char *)list->at[i].command);
        free((char *)list->at[i].disturbed);
    }
    free(list->at);
    *list = (struct ixor_execution_list){0};
}

void ixor_vm_list_free(struct ixor_vm_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free((char *)list->at[i].role);
        free((char *)list->at[i].host);
        free((char *)list->at[i].jvm);
        free((char *)list->at[i].log);
        free((char *)list->at[i].ended);
        free((char *)list->at[i].ended_text);
        free((char *)list->at[i].log_there);
        free((char *)list->at[i].log_state);
        free((char *)list->at[i].log_copy);
    }
    free(list->at);
    *list = (struct ixor_vm_list){0};
}
