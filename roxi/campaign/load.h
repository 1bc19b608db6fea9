/* SPDX-License-Identifier: Apache-2.0 */
/* From a campaign's catalogue and trace logs to the profiles of its runs.
 *
 * In each run only those packets count that at least min_vms of its JVMs answered
 * (docs/thesis.md, Normalisation 3), by default two, or one if in no run two JVMs ever
 * answered the same packet, as in a campaign of single JVMs; JVMs of one role are added up. A torn
 * log is read up to its last complete record, with a warning; a JVM whose log cannot be opened is
 * left out, with a warning; a run of which nothing is left is reported with a warning, but stays in
 * the list.
 *
 * Logs are read in parallel, each by one thread; the number of threads does not affect the
 * result, not even the numbers in the dictionary. Each log is decoded once. Before, a pass
 * skims its records to find out which packets it has and what its threads are called; with min_vms
 * 1 and rules that learn no templates it is left out.
 *
 * Memory: the profiles and the dictionary; for each thread, if there are several, another
 * dictionary and the definitions of one log; and 16 bytes for each sequence of consecutive
 * packets of a log. So repetition costs nothing, however long logs are.
 */
#ifndef ROXI_LOAD_H
#define ROXI_LOAD_H

#include "roxi/campaign/load_options.h"
#include "roxi/campaign/profile.h"

/* The runs of two campaigns with one dictionary, those of `campaign` first; *of_first is their
 * number. Otherwise as roxi_load. */
struct roxi_profiles *roxi_load_both(const char *campaign, const char *baseline,
                                     const struct roxi_load_options *options, size_t *of_first,
                                     struct ix_error *err);

/* All runs in the catalogue's order, at least one. NULL if the campaign or a log is invalid, or
 * if nothing counts in any run. */
struct roxi_profiles *roxi_load(const char *campaign, const struct roxi_load_options *options,
                                struct ix_error *err);

/* The campaign of `before` again, without messages, and with the histories of `count` of its runs,
 * by number: which ones are needed is often known only from what was loaded. The options are those
 * of before. NULL with a message, also if its runs have changed in the meantime. */
struct roxi_profiles *roxi_load_again(const char *campaign, const struct roxi_load_options *options,
                                      const struct roxi_profiles *before, const size_t *runs,
                                      size_t count, struct ix_error *err);

#endif
