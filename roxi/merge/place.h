/* SPDX-License-Identifier: Apache-2.0 */
/* Where the runs and logs of one campaign go in the merged one: the functions that
 * ix_catalogue_copy asks (copy.h), with a struct roxi_place as `user`. */
#ifndef ROXI_MERGE_PLACE_H
#define ROXI_MERGE_PLACE_H

#include "roxi/merge/shard.h"

struct roxi_place {
    const struct roxi_shard *shard;
    const char *target; /* the merged campaign's directory, in which the runs' directories are */
};

char *roxi_place_run(void *user, const char *name, struct ix_error *err);

/* A log in a run's directory has been copied with it. Another one that can be read is copied into
 * its run's directory now. The path of one that cannot be read stays as it is. */
char *roxi_place_log(void *user, int64_t run, const char *stored, struct ix_error *err);

#endif
