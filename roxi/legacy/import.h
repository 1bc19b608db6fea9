/* SPDX-License-Identifier: Apache-2.0 */
/* Imports a run in the original's layout into a campaign: a trace log for each JVM under
 * DIR/runs/NAME, and its rows in the catalogue. */
#ifndef ROXI_TEXT_IMPORT_H
#define ROXI_TEXT_IMPORT_H

#include <stddef.h>
#include <stdint.h>

#include "schema/catalogue/catalogue.h"

struct text_imported {
    size_t vms;
    uint64_t snapshots;
};

/* Imports the run in `dir`; its name is dir's last component, which must not be the name of an
 * existing run. All or nothing. Warns (roxi_warn) of logs that are cut off or empty. Logs are
 * converted in parallel by this many threads (0: as many as there are processors), one thread
 * for each log; output and messages do not depend on the number. 0, or -1 with file and line of
 * the first error, in the order of the logs. */
int text_import(struct ix_catalogue *catalogue, const char *dir, unsigned threads,
                struct text_imported *imported, struct ix_error *err);

#endif
