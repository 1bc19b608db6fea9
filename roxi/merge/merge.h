/* SPDX-License-Identifier: Apache-2.0 */
/* Merges several campaigns into one: their runs in order, with all that the catalogues say about
 * them, their trace logs, and whatever else is in the runs' directories. The campaigns themselves
 * are only read. */
#ifndef ROXI_MERGE_H
#define ROXI_MERGE_H

#include <stddef.h>

#include "schema/base/error.h"

struct roxi_merged {
    size_t runs, vms;
    size_t torn;    /* logs, and damaged ones, and those whose end is missing */
    size_t missing; /* logs */
    size_t renamed; /* campaigns whose runs have other names now (names.h) */
};

/* Makes the campaign `target`, which must not exist; it appears whole or not at all. Warns
 * (roxi_warn) of each log that is torn, damaged or missing, or that ends before what its JVM has
 * reported (log_end.h); it is copied as it is. Servers are kept from writing the campaigns
 * meanwhile. 0, or -1, also after an interruption. O(bytes).
 */
int roxi_merge(const char *const *dirs, size_t count, const char *target,
               struct roxi_merged *merged, struct ix_error *err);

#endif
