/* SPDX-License-Identifier: Apache-2.0 */
/* Names of runs that are unique over several campaigns.
 *
 * If campaigns share the name of a run, all of their runs get new names: the directory's name, "-",
 * and the old name, as in "shard-7-run0003". If directories have the same last component
 * (shard-1/campaign, shard-2/campaign), the components that all paths end with are left out, and as
 * many of the components before them as make the names differ are joined by "-". The runs of other
 * campaigns keep their names. */
#ifndef ROXI_MERGE_NAMES_H
#define ROXI_MERGE_NAMES_H

#include "roxi/merge/shard.h"

/* Sets every new_name. *renamed: in how many campaigns they differ from the old ones. 0, or -1 if
 * no unique and valid names can be made. O(runs log runs + campaigns^2). */
int roxi_merge_name(struct roxi_shard *shards, size_t count, size_t *renamed, struct ix_error *err);

#endif
