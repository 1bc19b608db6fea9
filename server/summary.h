/* What `ixor run` says at its end about the executions it recorded, and in part `ixor status`. */
#ifndef IXOR_SUMMARY_H
#define IXOR_SUMMARY_H

#include <stdbool.h>

#include "schema/catalogue.h"
#include "server/figures.h"

/* Two lines, of the skew and of stops that were late, if anything is known about them. */
void ixor_summary_print_instant(struct ixor_figures *f);

/* Prints it on stdout, as text or JSON. `ids`: the executions of this call, ascending; `dir`: the
 * campaign as the user named it; `outputs`: there is an output.txt for each. 0 or -1. */
int ixor_summary_print(struct ix_catalogue *c, const char *dir, const int64_t *ids, size_t count,
                       bool outputs, bool json, struct ix_error *err);

#endif
