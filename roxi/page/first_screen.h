/* SPDX-License-Identifier: Apache-2.0 */
/* The first screen of a report, as text: the verdict, the runs with a reason each, how sure. */
#ifndef ROXI_FIRST_SCREEN_H
#define ROXI_FIRST_SCREEN_H

#include "roxi/page/sheet.h"

enum { ROXI_REASON_LINES = 2 }; /* for each run */

/* -1: memory ran out. */
int roxi_first_screen(FILE *out, const struct roxi_sheet *s);

/* The same in at most so many bytes, as far as leaving out runs achieves that. */
int roxi_first_screen_within(FILE *out, const struct roxi_sheet *s, size_t bytes);

/* Sets *count to how many runs of s->worth it lists. -1: memory ran out. */
int roxi_first_screen_runs(const struct roxi_sheet *s, size_t *count);

#endif
