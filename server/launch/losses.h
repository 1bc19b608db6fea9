/* SPDX-License-Identifier: Apache-2.0 */
/* What was lost of a run: trace logs that are missing where they were written, and JVMs that could
 * not write theirs. */
#ifndef IXOR_LOSSES_H
#define IXOR_LOSSES_H

#include <stdint.h>

#include "schema/catalogue/catalogue.h"
#include "server/launch/progress.h"

struct ixor_losses {
    uint64_t vms;       /* in the run */
    uint64_t logs;      /* missing or empty, of JVMs that reported snapshots */
    uint64_t snapshots; /* reported by these JVMs */
    uint64_t stopped;   /* JVMs that stopped logging (ended: log-failed) */
    char first[256];    /* one of the logs, safe to print */
};

/* Counts the losses of a run. Logs on other hosts are left out, since they may still be uploaded. 0
 * or -1. */
int ixor_losses_count(struct ix_catalogue *c, int64_t execution, struct ixor_losses *l,
                      struct ix_error *err);

/* Prints a note if a run lost anything. */
void ixor_losses_note(const struct ixor_losses *l, struct ixor_progress *p, const char *run);

#endif
