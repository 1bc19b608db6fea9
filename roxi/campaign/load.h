/* SPDX-License-Identifier: Apache-2.0 */
/* From a campaign's catalogue and trace logs to the profiles of its runs.
 *
 * In each run only those packets count that at least min_vms of its JVMs answered (docs/thesis.md,
 * Normalisation 3): by default two, or one if no two JVMs of a run ever answered the same packet,
 * as in a campaign of single JVMs; where runs are ranked, all packets that follow the first of
 * these count, too. JVMs of one role are added up. A torn log is read up to its last complete
 * record, with a warning. A JVM whose log cannot be opened is left out, with a warning. A run of
 * which nothing is left causes a warning, but stays in the list.
 *
 * Logs are read in parallel, each by one thread; the number of threads does not affect the result,
 * not even the numbers in the dictionary. Each log is decoded once. Before that, a first pass skims
 * its records for its packets and the names of its threads, unless min_vms is 1 and the rules learn
 * no templates.
 *
 * Memory: the profiles and the dictionary; for each thread, if there are several, another
 * dictionary and the definitions of one log; and 16 bytes for each sequence of consecutive
 * packets of a log. So repetition costs nothing, however long logs are.
 */
#ifndef ROXI_LOAD_H
#define ROXI_LOAD_H

#include "roxi/campaign/load_options.h"
#include "roxi/campaign/profile.h"
#include "roxi/campaign/rules.h"
#include "roxi/campaign/templates.h"

/* The runs of two campaigns with one dictionary, those of `campaign` first; *of_first is their
 * number. Otherwise as roxi_load. */
struct roxi_profiles *roxi_load_both(const char *campaign, const char *baseline,
                                     const struct roxi_load_options *options, size_t *of_first,
                                     struct ix_error *err);

/* All runs in the catalogue's order, at least one. NULL if the campaign or a log is invalid, or
 * if nothing counts in any run. */
struct roxi_profiles *roxi_load(const char *campaign, const struct roxi_load_options *options,
                                struct ix_error *err);

/* Loads the campaign of `before` again, without messages, and with the histories of `count` of its
 * runs, given by number: often only what was loaded first shows which histories are needed. The
 * options must be the same. NULL with a message, also if the runs have changed in the meantime. */
struct roxi_profiles *roxi_load_again(const char *campaign, const struct roxi_load_options *options,
                                      const struct roxi_profiles *before, const size_t *runs,
                                      size_t count, struct ix_error *err);

/* What roxi_load learns from the names of all runs' threads before it counts, without counting:
 * only names are read. `rules`, which the options name, must learn. NULL with a message. */
struct roxi_templates *roxi_load_templates(const char *campaign,
                                           const struct roxi_load_options *options,
                                           const struct roxi_rules *rules, struct ix_error *err);

#endif
