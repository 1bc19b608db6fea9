/* Distances that were computed before, kept in the campaign's directory (`kept/`), so that adding
 * executions computes only what is new.
 *
 * A file for each way of comparing and of reading logs holds the fingerprint of every execution
 * (fingerprint.h) and the distances between them. A distance depends on nothing else, so it is taken
 * again only if both fingerprints are there; files that are damaged, or of another version, are as
 * good as none. A file appears whole or not at all; the last one to finish wins.
 *
 * A computation that is interrupted (SIGINT, SIGTERM), or that dies after a minute and more, leaves
 * its state there, too (checkpoint.h); `resume` goes on with it.
 */
#ifndef ROXI_KEPT_H
#define ROXI_KEPT_H

#include "roxi/compare.h"
#include "roxi/load.h"

/* As roxi_compare, with what is kept in the campaign's directory, and keeping the result there. A
 * directory that cannot be written is no error: nothing is kept then. */
int roxi_compare_kept(const char *campaign, const struct roxi_load_options *load, bool resume,
                      const struct roxi_profiles *p, const struct roxi_compare_options *options,
                      struct roxi_matrix *out, struct ix_error *err);

#endif
