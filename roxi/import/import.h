/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a campaign of thread dumps. */
#ifndef ROXI_IMPORT_IMPORT_H
#define ROXI_IMPORT_IMPORT_H

#include <stddef.h>
#include <stdint.h>

#include "schema/base/error.h"

struct dump_imported {
    size_t runs, jvms;
    uint64_t snapshots;
};

/* The dumps in the files and directories (sources.h), as a new campaign, which appears whole or not
 * at all. Warns (roxi_warn) of dumps and threads that are left out, and says how packets were
 * found. No dump at all is an error. Memory: 64 bytes a dump, and what snapshots.h says. 0 or -1.
 */
int dump_import(const char *const *args, size_t count, const char *target,
                struct dump_imported *imported, struct ix_error *err);

#endif
