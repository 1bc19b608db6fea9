/* SPDX-License-Identifier: Apache-2.0 */
/* What a report says of a campaign, in sentences: the same ones in the terminal and in the page.
 * Names are printed as in text_print: without control characters, but with markup. */
#ifndef ROXI_PAGE_WORDS_H
#define ROXI_PAGE_WORDS_H

#include "roxi/page/sheet.h"

/* Says one thing of the campaign. */
typedef void roxi_saying(FILE *out, const struct roxi_sheet *s);

roxi_saying roxi_say_verdict; /* "24 runs: 22 passed, 2 failed. 3 are worth a look ..." */
roxi_saying roxi_say_start;   /* where to look first */
roxi_saying roxi_say_sure;    /* what normal is, and how often normal runs look unusual */
roxi_saying roxi_say_quality; /* lost packets, bad ends, runs without packets */
roxi_saying roxi_say_how;     /* program, campaign, options */

/* Why a run is listed. `shown`: of those shown in full, or NULL. */
void roxi_say_reason(FILE *out, const struct roxi_sheet *s, size_t run,
                     const struct roxi_shown *shown);
/* That of worth[i]; NULL: it is not shown in full. */
const struct roxi_shown *roxi_shown_of(const struct roxi_sheet *s, size_t i);
/* "failed", "passed" or "-". A constant. */
const char *roxi_verdict_word(const struct roxi_sheet *s, size_t run);

/* What a saying prints; the caller frees it. NULL: memory ran out. */
char *roxi_said(const struct roxi_sheet *s, roxi_saying *say);
char *roxi_said_reason(const struct roxi_sheet *s, size_t run, const struct roxi_shown *shown);

#endif
