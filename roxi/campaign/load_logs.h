/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the logs of a campaign's runs with several workers: implements what load.h promises,
 * given the lists of runs and logs.
 *
 * 1. Find which packets each log has, and which of them count in each run, unless every packet
 *    counts; and learn templates from the names of its threads (templates.h), if the rules say so.
 * 2. Count each log separately; each worker interns names and stacks in its own dictionary.
 * 3. Merge the dictionaries in the order of the logs (translation.h), and the logs' counts into
 *    the profiles of their runs.
 *
 * So numbers, profiles, warnings and errors are the same for every number of workers.
 */
#ifndef ROXI_LOAD_LOGS_H
#define ROXI_LOAD_LOGS_H

#include "roxi/campaign/load_list.h"
#include "roxi/campaign/load_options.h"
#include "roxi/campaign/profile.h"
#include "roxi/campaign/templates.h"

/* The profiles of all runs. NULL with a message: for the first log in order that can be opened
 * but not read, or out of memory. *reached: how many logs, from the first on, were counted
 * without a failure. */
struct roxi_profiles *roxi_load_logs(struct roxi_load_list *list,
                                     const struct roxi_load_options *options,
                                     const struct roxi_rules *rules, size_t *reached,
                                     struct ix_error *err);

/* The first of these steps alone: the templates of all threads' names; `rules` must learn. NULL
 * with a message, as above. */
struct roxi_templates *roxi_load_names(struct roxi_load_list *list,
                                       const struct roxi_load_options *options,
                                       const struct roxi_rules *rules, struct ix_error *err);

#endif
