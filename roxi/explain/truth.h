/* SPDX-License-Identifier: Apache-2.0 */
/* What is known about the faults of a campaign's runs: two tables (base/text_table.h).
 *
 * TRUTH has a line a run; needed columns: execution, its name; fault, of what kind; first_ms, when
 * it struck, in milliseconds since the run's begin, or "-"; where, "ROLE: PLACE", or anything
 * without
 * ": " if that is not known; verdict, "passed" or "failed". PLACE is a node if one has that name.
 *
 * BLAME says what is right; needed columns: fault; class, the top-level classes with the mistake in
 * them, separated by commas, or "-"; silent, "yes" if the fault hardly touches call stacks.
 * Optional: where, the PLACE that the line is for, or "any"; who, which roles are right: "named",
 * that of TRUTH (default); "peers", also those whose names differ from it in the last number or
 * letter only; "any". The first line that fits counts. */
#ifndef ROXI_EXPLAIN_TRUTH_H
#define ROXI_EXPLAIN_TRUTH_H

#include <stdbool.h>

#include "roxi/base/text_table.h"
#include "roxi/campaign/profile.h"

enum roxi_blamed { ROXI_BLAME_NAMED, ROXI_BLAME_PEERS, ROXI_BLAME_ANY };

/* A failed run whose fault has a place, and is not silent. */
struct roxi_fault {
    size_t row;               /* in TRUTH */
    size_t run;               /* its number; set by roxi_truth_find */
    const char *name, *fault; /* of the run and the fault; of the tables, as are the others */
    const char *role, *place;
    const char *classes;     /* NULL: none */
    enum roxi_blamed blamed; /* which roles are right */
    bool is_node;            /* PLACE is a node's name; set by roxi_truth_find */
    double first_ms;         /* NAN: not known */
};

struct roxi_truth {
    struct roxi_text_table truth, blame;
    size_t execution, verdict; /* columns of TRUTH */
    struct roxi_fault *faults; /* in the order of TRUTH; owned */
    size_t count;
    size_t nowhere, silent, unknown; /* failed runs that are left out: without a place, with a
                                        silent fault, with one that BLAME does not have */
    size_t *run_of; /* by row of TRUTH: its number; set by roxi_truth_find; owned */
};

/* -1 with a message and nothing to free, also if no fault is left. The paths must outlive it. */
int roxi_truth_read(struct roxi_truth *t, const char *truth, const char *blame,
                    struct ix_error *err);
void roxi_truth_free(struct roxi_truth *t);

/* Finds the runs in a campaign that was loaded. -1 with a message: a line is of a run that it does
 * not have, or of one that an earlier line is of. O(lines x runs). */
int roxi_truth_find(struct roxi_truth *t, const struct roxi_profiles *p, const char *campaign,
                    struct ix_error *err);

#endif
