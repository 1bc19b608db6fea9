/* SPDX-License-Identifier: Apache-2.0 */
/* A campaign as a JUnit XML report, a testcase for each run, for CI systems that show test results.
 * A run that failed is a failure, one without a verdict is skipped. */
#ifndef ROXI_CI_JUNIT_H
#define ROXI_CI_JUNIT_H

#include <stdio.h>

#include "roxi/page/sheet.h"

/* `unusual_fails`: a run that passed but is unusual is a failure, too; otherwise it passes, with
 * its reason as output. `campaign`: its directory, for the name of the suite and durations. -1 with
 * a message. */
int roxi_ci_junit(FILE *out, const struct roxi_sheet *s, const char *campaign, bool unusual_fails,
                  struct ix_error *err);

#endif
