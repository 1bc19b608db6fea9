/* SPDX-License-Identifier: Apache-2.0 */
/* What JUnit's reports say of runs: the marks that `ixor run --junit` and `ixor label --junit`
 * leave. */
#ifndef ROXI_CI_TESTS_H
#define ROXI_CI_TESTS_H

#include "roxi/page/sheet.h"

/* Prints a line for each of the first runs of the sheet that have such a mark, names and texts as
 * plain text, and how many runs more; nothing if none has one. 0, or -1 with a message. O(runs +
 * marks x log runs). */
int roxi_ci_say_tests(FILE *out, const char *campaign, const struct roxi_sheet *s,
                      struct ix_error *err);

#endif
