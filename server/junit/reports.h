/* SPDX-License-Identifier: Apache-2.0 */
/* The reports that one run wrote. */
#ifndef IXOR_JUNIT_REPORTS_H
#define IXOR_JUNIT_REPORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "server/junit/report.h"

struct ixor_junit_reports {
    struct ixor_junit sum;
    size_t matching;     /* files that match the pattern */
    size_t fresh;        /* of these, written during the run */
    size_t bad;          /* not readable */
    struct ix_error why; /* about the first of these */
};

/* Now, in the clock that files are stamped with. */
struct timespec ixor_junit_now(void);

/* Reads the reports that match the pattern (find.h) and were written at `since` or later. */
struct ixor_junit_reports ixor_junit_collect(const char *pattern, struct timespec since);

/* Writes what is wrong: no report was written, or one is not readable. False: nothing is. */
bool ixor_junit_trouble(const struct ixor_junit_reports *all, const char *pattern, char *text,
                        size_t size);

#endif
