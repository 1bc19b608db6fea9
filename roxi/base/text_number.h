/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and fields of a line in the original's layout. Strict: digits only, no blanks, no plus
 * sign, nothing after the number; a number that does not fit is rejected. */
#ifndef ROXI_TEXT_NUMBER_H
#define ROXI_TEXT_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/base/bytes.h"

/* A decimal number up to `max`. */
bool text_decimal(struct ix_span text, uint64_t max, uint64_t *value);
/* A decimal number from `min` to INT64_MAX. */
bool text_signed(struct ix_span text, int64_t min, int64_t *value);
/* One to sixteen hexadecimal digits of either case. */
bool text_hex(struct ix_span text, uint64_t *value);

/* Splits a line at its spaces; false unless there are exactly `count` fields, none of them
 * empty. */
bool text_fields(struct ix_span line, struct ix_span *fields, size_t count);

#endif
