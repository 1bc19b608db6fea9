/* SPDX-License-Identifier: Apache-2.0 */
/* One of the campaigns that are merged: open for reading, with no server writing it. */
#ifndef ROXI_SHARD_H
#define ROXI_SHARD_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/catalogue/catalogue.h"

struct roxi_shard_run {
    int64_t id;
    char *name;     /* owned */
    char *new_name; /* in the merged campaign; owned; NULL until roxi_merge_name */
};

struct roxi_shard {
    const char *dir; /* as the user gave it */
    char *real;      /* absolute, without symbolic links; owned */
    struct ix_catalogue *catalogue;
    int lock; /* -1: no server ever wrote it */
    int64_t created_ns;
    struct roxi_shard_run *runs; /* ordered by id; owned */
    size_t count, cap;
};

/* Opens a campaign, keeps servers from writing it, and lists its runs; one without a run is an
 * error. From now on its catalogue is read in one transaction. 0, or -1 with a message and nothing
 * to close. */
int roxi_shard_open(struct roxi_shard *s, const char *dir, struct ix_error *err);
void roxi_shard_close(struct roxi_shard *s); /* may be all zero, with lock -1 */

/* The run of that number, or of that name; NULL: there is none. */
const struct roxi_shard_run *roxi_shard_run_at(const struct roxi_shard *s, int64_t id);
const struct roxi_shard_run *roxi_shard_run_named(const struct roxi_shard *s, const char *name,
                                                  size_t len);

/* Checks that no two of them are the same campaign, or copies of one. 0 or -1. */
int roxi_shards_distinct(const struct roxi_shard *shards, size_t count, struct ix_error *err);

#endif
