/* SPDX-License-Identifier: Apache-2.0 */
/* For the tests of exports: a log in memory, in each format. */
#ifndef TESTS_EXPORT_SUPPORT_H
#define TESTS_EXPORT_SUPPORT_H

#include <stdio.h>
#include <stdlib.h>

#include "roxi/export/export.h"

struct exported {
    char *data; /* followed by a zero byte; free() it */
    size_t size;
    int status;
    uint64_t snapshots;
};

/* The result of export_write for a campaign with one run, "run 1", with one JVM of role
 * "server". */
struct exported export_bytes(const char *name, struct export_options options, const void *log,
                             size_t size, struct ix_error *err);

/* The formats that export one JVM after another; "text" is not one of them. */
enum { EXPORT_NAMES = 6 };
extern const char *const export_names[EXPORT_NAMES];

/* Number of frames of all call stacks of a log that a format may write, counted up to `most`: a few
 * hostile bytes can put many threads on deep stacks. */
size_t export_work(const void *log, size_t size, size_t most);

#endif
