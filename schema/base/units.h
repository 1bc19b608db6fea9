/* SPDX-License-Identifier: Apache-2.0 */
/* Parses values as people write them. */
#ifndef IX_SCHEMA_UNITS_H
#define IX_SCHEMA_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parses `len` decimal digits, at least one; false if there is anything else, or the number does
 * not fit. */
bool ix_parse_number(const char *text, size_t len, uint64_t *number);
/* Parses a number of bytes, which k, m, g or t (powers of 1024) may follow. */
bool ix_parse_size(const char *text, size_t len, uint64_t *bytes);

#endif
