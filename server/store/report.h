/* Executions, VMs and their figures as JSON, in the same words for every command. Times are
 * nanoseconds; what is not known is null. */
#ifndef IXOR_REPORT_H
#define IXOR_REPORT_H

#include <jansson.h>

#include "server/figures.h"

/* Each returns a new reference, or NULL: out of memory. */
json_t *ixor_report_execution(const struct ix_execution *e, struct ixor_figures *f);
/* last_packet: that it took; 0 none. */
json_t *ixor_report_vm(const struct ix_vm *vm, uint64_t taken, int64_t last_packet,
                       struct ixor_values *stops);
/* The figures alone, as they stand in an execution. */
json_t *ixor_report_figures(struct ixor_figures *f);

/* A string from outside; what is not UTF-8 in it becomes '?'. NULL: null. */
json_t *ixor_report_text(const char *text);

/* Prints and releases `root` (NULL: out of memory) on stdout. 0 or -1. */
int ixor_report_print(json_t *root, struct ix_error *err);

#endif
