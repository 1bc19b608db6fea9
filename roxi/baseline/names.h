/* SPDX-License-Identifier: Apache-2.0 */
/* What the two directions share: names in the file, and where there is room. */
#ifndef ROXI_BASELINE_NAMES_H
#define ROXI_BASELINE_NAMES_H

#include <stdbool.h>

#include "roxi/base/staging.h"

/* True if the file can hold something of that name: campaign.db, or a trace log or a part of one
 * below runs/, without "." or ".." in its path. */
bool baseline_name_is_valid(const char *name);

/* Makes a directory in $TMPDIR, or in /tmp; abandon it. 0 or -1. */
int baseline_room(struct roxi_staging *staging, struct ix_error *err);

#endif
