/* SPDX-License-Identifier: Apache-2.0 */
/* Distances computed earlier, stored in the campaign's directory (`cache/`), so that after
 * adding runs only new distances are computed.
 *
 * There is a file for each way of comparing and of reading logs. It holds the fingerprint of
 * every run (fingerprint.h) and the distances between them. A distance depends on nothing else,
 * so it is reused only if both fingerprints are there; files that are damaged or of another
 * version are ignored. A file appears complete or not at all; the last process to finish wins.
 *
 * A computation that is interrupted (SIGINT, SIGTERM), or that dies after more than a minute,
 * leaves its state there too (checkpoint.h); `resume` continues it.
 */
#ifndef ROXI_DISTANCE_CACHE_H
#define ROXI_DISTANCE_CACHE_H

#include "roxi/campaign/load_options.h"
#include "roxi/distance/compare.h"

/* What to compare. Nothing is owned. */
struct roxi_cached_work {
    const char *campaign;                 /* its directory */
    const struct roxi_profiles *profiles; /* its runs, */
    const struct roxi_load_options *load; /* loaded with these options */
    const struct roxi_compare_options *options;
    bool resume;
};

/* As roxi_compare, but reuses the cached distances and adds the result to the cache. If the
 * directory is not writable nothing is stored; that is not an error. */
int roxi_compare_cached(const struct roxi_cached_work *work, struct roxi_matrix *out,
                        struct ix_error *err);

#endif
