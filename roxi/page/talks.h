/* SPDX-License-Identifier: Apache-2.0 */
/* Who talks to whom in a campaign, and for how long threads wait on it: the communication graph of
 * roxi/waits as a table in the page. */
#ifndef ROXI_TALKS_H
#define ROXI_TALKS_H

#include "roxi/campaign/listing.h"
#include "roxi/page/html.h"
#include "roxi/page/sheet.h"

/* What is typical is that of so many runs: each has to be read once more. */
#define ROXI_TALKS_RUNS 100

/* All zero: not known. */
struct roxi_talks {
    char *text; /* owned; NULL: connections were not recorded */
};

/* Of the most unusual run beside the others, or if none is unusual of all runs; without warnings,
 * as the runs were loaded before. -1 with a message. O(n log n) in what the logs hold. */
int roxi_talks_read(struct roxi_talks *t, const struct roxi_listing *listing,
                    const struct roxi_sheet *s, struct ix_error *err);
/* A section of the page; nothing if it is not known. */
void roxi_talks_put(struct roxi_html *h, const struct roxi_talks *t);
void roxi_talks_free(struct roxi_talks *t);

#endif
