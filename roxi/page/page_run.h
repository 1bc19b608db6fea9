/* SPDX-License-Identifier: Apache-2.0 */
/* What the page says of a run that is shown in full, in text. */
#ifndef ROXI_PAGE_RUN_H
#define ROXI_PAGE_RUN_H

#include "roxi/page/head_counts.h"
#include "roxi/page/html.h"
#include "roxi/page/recorded.h"

/* Of s->shown[i]: its findings, who waits for whom, the longest stays in one call stack, and its
 * threads by name. */
void roxi_page_run(struct roxi_html *h, const struct roxi_sheet *s,
                   const struct roxi_head_counts *counts, size_t i,
                   const struct roxi_recorded *recorded);

#endif
