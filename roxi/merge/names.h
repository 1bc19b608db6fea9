/* SPDX-License-Identifier: Apache-2.0 */
/* Names of runs that are unique over several campaigns.
 *
 * Campaigns that share a name of a run get another name for each of their runs: their directory's
 * name, "-", and the old name, as in "shard-7-run0003". If directories have the same last component
 * (shard-1/campaign, shard-2/campaign), components that all paths end with are left out, and as
 * many of those before are taken, joined by "-", as make them differ. Other campaigns keep their
 * names, so that merging with "passed" and "failed" beside each other changes nothing. */
#ifndef ROXI_MERGE_NAMES_H
#define ROXI_MERGE_NAMES_H

#include "roxi/merge/shard.h"

/* Sets every new_name. *renamed: in how many campaigns they differ from the old ones. 0, or -1: no
 * names can be made that are unique and valid. O(runs log runs + campaigns^2). */
int roxi_merge_name(struct roxi_shard *shards, size_t count, size_t *renamed, struct ix_error *err);

#endif
