/* SPDX-License-Identifier: Apache-2.0 */
/* When `ixor run` ends before it has made all its runs: --until. */
#ifndef IXOR_UNTIL_H
#define IXOR_UNTIL_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/base/error.h"

struct ixor_until {
    uint64_t failed; /* this many runs; 0: however many */
    uint64_t ns;     /* since the first run's start; 0: however long */
};

/* "failed", "3-failed", or a duration. 0 or -1. */
int ixor_until_parse(const char *text, struct ixor_until *until, struct ix_error *err);
bool ixor_until_given(const struct ixor_until *until);
/* Whether no further run is to begin. */
bool ixor_until_reached(const struct ixor_until *until, uint64_t failed, uint64_t elapsed_ns);

#endif
