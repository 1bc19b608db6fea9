/* SPDX-License-Identifier: Apache-2.0 */
/* Runs, JVMs and their figures as JSON, with the same keys in every command. Times are in
 * nanoseconds; unknown values are null. */
#ifndef IXOR_REPORT_H
#define IXOR_REPORT_H

#include <jansson.h>

#include "schema/catalogue/figures.h"

/* Each returns a new reference, or NULL: out of memory. */
json_t *ixor_report_execution(const struct ix_execution *e, struct ix_figures *f);
/* last_packet: the last one it took; 0 none. */
json_t *ixor_report_vm(const struct ix_vm *vm, uint64_t taken, int64_t last_packet,
                       struct ix_values *stops);
/* Only the figures, as part of a run's object. */
json_t *ixor_report_figures(struct ix_figures *f);

/* A string from outside; bytes that are not UTF-8 become '?'. NULL gives null. */
json_t *ixor_report_text(const char *text);

/* Prints and releases `root` (NULL: out of memory) on stdout. 0 or -1. */
int ixor_report_print(json_t *root, struct ix_error *err);

#endif
