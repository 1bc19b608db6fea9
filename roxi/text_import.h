/* Takes an execution in the original's layout into a campaign: a trace log for each VM under
 * DIR/runs/NAME, and its rows in the catalogue.
 */
#ifndef ROXI_TEXT_IMPORT_H
#define ROXI_TEXT_IMPORT_H

#include <stddef.h>
#include <stdint.h>

#include "schema/catalogue.h"

struct text_imported {
    size_t vms;
    uint64_t snapshots;
};

/* Imports the execution in `dir`; it is named after dir's last component, which must not be the
 * name of one that is there. All or nothing. Warns (roxi_warn) of logs that are cut off or empty.
 * Logs are converted in parallel, each by one of so many threads (0: as many as there are
 * processors); what is written, and what is said, does not depend on it. 0, or -1 with the file and
 * line where something is wrong: in the first of the logs in which something is. */
int text_import(struct ix_catalogue *catalogue, const char *dir, unsigned threads,
                struct text_imported *imported, struct ix_error *err);

#endif
