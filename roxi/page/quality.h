/* SPDX-License-Identifier: Apache-2.0 */
/* How well the runs of a report were recorded: packets and losses, stops and skew, and which names
 * of threads are masked. */
#ifndef ROXI_QUALITY_H
#define ROXI_QUALITY_H

#include "roxi/page/html.h"
#include "roxi/page/sheet.h"
#include "schema/catalogue/figures.h"

/* Of the report's runs (of one test, with --test), from the campaign's catalogue. A run that is not
 * in it adds nothing. -1 with a message; free the figures in any case. O(snapshots). */
int roxi_quality_read(struct ix_figures *f, const struct roxi_sheet *s, struct ix_error *err);
/* Sorts the figures. */
void roxi_quality_figures(struct roxi_html *h, struct ix_figures *f);

/* The names in which a '*' stands for what varies. */
void roxi_quality_masked(struct roxi_html *h, const struct roxi_sheet *s);

#endif
