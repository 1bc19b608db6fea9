/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of how often methods were called, as text. */
#ifndef ROXI_EXPLAIN_CALLED_WORDS_H
#define ROXI_EXPLAIN_CALLED_WORDS_H

#include <stdio.h>

#include "roxi/explain/finding.h"

/* What (words.h, roxi_finding_say), with who calls it, if that was seen:
 * "called Pool.take 62 times and Pool.giveBack 39 times, typically as often as each other;
 * the latter from Scraper.scrape", "called Pool.take 62 times, typically 3, from Scraper.scrape",
 * "no call of Reaper.purge for 94 packets, typically for 3 at most, from Reaper.run". `alone`:
 * compared with one run. */
void roxi_called_say(FILE *out, const struct roxi_symbols *names, const struct roxi_finding *f,
                     bool alone, bool simple);

#endif
