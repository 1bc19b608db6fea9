/* SPDX-License-Identifier: Apache-2.0 */
/* A campaign's runs and JVMs as lists in memory, for tables that need all of them at once. */
#ifndef IXOR_LISTING_H
#define IXOR_LISTING_H

#include "schema/catalogue/catalogue.h"

/* Strings are owned by the list; the structs are the catalogue's. */
struct ixor_execution_list {
    struct ix_execution *at;
    size_t count, room;
};
struct ixor_vm_list {
    struct ix_vm *at;
    size_t count, room;
};

/* Appends all runs, or a run's JVMs (0: all JVMs), in the catalogue's order. 0 or -1; the free
 * function releases the list in either case. */
int ixor_list_executions(struct ixor_execution_list *list, struct ix_catalogue *c,
                         struct ix_error *err);
int ixor_list_vms(struct ixor_vm_list *list, struct ix_catalogue *c, int64_t execution,
                  struct ix_error *err);
void ixor_execution_list_free(struct ixor_execution_list *list);
void ixor_vm_list_free(struct ixor_vm_list *list);

#endif
