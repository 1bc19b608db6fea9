/* SPDX-License-Identifier: Apache-2.0 */
/* Dates in front of thread dumps. */
#ifndef ROXI_IMPORT_DATE_H
#define ROXI_IMPORT_DATE_H

#include <stdint.h>

#include "schema/base/bytes.h"

/* Nanoseconds since 1970 of "2026-11-22 12:00:00", which a JVM prints in every locale. There may be
 * a T between date and time, a fraction, and Z, +0100 or +01:00 at the end; without the latter it
 * counts as UTC. 0: the text is not a date, or not from 1970 to 2200. */
int64_t dump_date_parse(struct ix_span text);

#endif
