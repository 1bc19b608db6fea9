/* SPDX-License-Identifier: Apache-2.0 */
/* A campaign for the summary of a CI job, as Markdown. */
#ifndef ROXI_CI_SUMMARY_H
#define ROXI_CI_SUMMARY_H

#include "roxi/page/sheet.h"

/* Bytes at most: with a blank line before it 4,700, what is read in a few minutes. */
enum { ROXI_CI_SUMMARY_TEXT = 4699 };

/* A heading, the rate, and the first screen (roxi/page/first_screen.h) as a block of code, in which
 * names cannot be markup; the caller frees it. NULL: memory ran out. */
char *roxi_ci_summary(const struct roxi_sheet *s);

#endif
