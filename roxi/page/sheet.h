/* SPDX-License-Identifier: Apache-2.0 */
/* What a report is made of: the runs, which of them are unusual, which are normal, and the findings
 * of those that are shown in full. */
#ifndef ROXI_SHEET_H
#define ROXI_SHEET_H

#include "roxi/campaign/load_options.h"
#include "roxi/campaign/verdicts.h"
#include "roxi/explain/finding.h"
#include "roxi/rank/ranking.h"
#include "roxi/report/provenance.h"

struct roxi_sheet_options {
    struct roxi_load_options load;
    struct roxi_ranking_options ranking;
    uint64_t most; /* unusual runs to show in full */
};

/* A run that is shown in full. */
struct roxi_shown {
    size_t run;
    struct roxi_findings findings; /* empty if there is no ranking */
};

struct roxi_sheet {
    struct roxi_profiles *profiles; /* with the histories of the runs shown in full; owned */
    struct roxi_verdict *verdicts;  /* by run; owned */
    bool ranked;                    /* false: there are too few runs to compare */
    struct roxi_ranking ranking;
    bool *normal; /* by run: those that others are compared with in words; owned */
    size_t passed, failed, normal_count;
    size_t *order;            /* the runs, most unusual first; owned */
    size_t unusual;           /* failed, or worth a look */
    size_t *worth;            /* those, in that order; owned */
    struct roxi_shown *shown; /* the first of them; then a typical run to compare with; owned */
    size_t shown_count;
    bool has_typical;                 /* the last one shown is the typical run */
    const struct roxi_origin *origin; /* set by the caller */
};

/* Loads and ranks a campaign. Meanwhile it holds 48 bytes for each time that a thread of any run
 * moves to another call stack. -1 with a message and nothing to free. */
int roxi_sheet_make(struct roxi_sheet *s, const char *campaign, const struct roxi_sheet_options *o,
                    struct ix_error *err);
void roxi_sheet_free(struct roxi_sheet *s);

/* Did the run fail, or is its score worth a look? */
bool roxi_sheet_is_unusual(const struct roxi_sheet *s, size_t run);

#endif
