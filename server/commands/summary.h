/* SPDX-License-Identifier: Apache-2.0 */
/* The summary of its runs that `ixor run` prints at its end; `ixor status` prints parts of it. */
#ifndef IXOR_SUMMARY_H
#define IXOR_SUMMARY_H

#include <stdbool.h>

#include "schema/catalogue/catalogue.h"
#include "schema/catalogue/figures.h"

/* Prints the skew and the late stops, one line each, if they are known. */
void ixor_summary_print_instant(struct ix_figures *f);

/* Prints the summary on stdout, as text or JSON. `ids`: the runs of this call, ascending; `dir`:
 * the campaign as the user named it; `outputs`: there is an output.txt for each. 0 or -1. */
int ixor_summary_print(struct ix_catalogue *c, const char *dir, const int64_t *ids, size_t count,
                       bool outputs, bool json, struct ix_error *err);

#endif
