/* SPDX-License-Identifier: Apache-2.0 */
/* A campaign for the summary of a CI job, as Markdown. */
#ifndef ROXI_CI_SUMMARY_H
#define ROXI_CI_SUMMARY_H

#include "roxi/page/sheet.h"

/* Bytes at most: with a blank line before it 4,700, what is read in a few minutes. */
enum { ROXI_CI_SUMMARY_TEXT = 4699 };

/* A heading, the rate, and a block of code, in which names cannot be markup: what JUnit's reports
 * said (tests.h) and the first screen (roxi/page/first_screen.h). The caller frees it. NULL with a
 * message on failure. */
char *roxi_ci_summary(const struct roxi_sheet *s, const char *campaign, struct ix_error *err);

#endif
