/* SPDX-License-Identifier: Apache-2.0 */
/* ixor status A B: whether the runs of one campaign fail as often as those of another. */
#ifndef IXOR_STATUS_COMPARE_H
#define IXOR_STATUS_COMPARE_H

#include <stdbool.h>

#include "schema/base/error.h"

/* Prints both rates and what the difference means, on stdout. 0 or -1. */
int ixor_status_compare(const char *const dirs[2], bool json, struct ix_error *err);

#endif
