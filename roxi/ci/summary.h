/* SPDX-License-Identifier: Apache-2.0 */
/* A campaign for the summary of a CI job, as Markdown. */
#ifndef ROXI_CI_SUMMARY_H
#define ROXI_CI_SUMMARY_H

#include "roxi/ci/limit.h"
#include "roxi/page/sheet.h"

/* A heading, the rate, and a block of code, in which names cannot be markup: what JUnit's reports
 * said (tests.h) and the first screen (roxi/page/first_screen.h); ROXI_CI_SUMMARY_TEXT bytes at
 * most. The caller frees it. NULL with a message on failure. */
char *roxi_ci_summary(const struct roxi_sheet *s, const char *campaign, struct ix_error *err);

#endif
