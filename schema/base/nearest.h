/* SPDX-License-Identifier: Apache-2.0 */
/* Names that a user may have meant by one that does not exist. */
#ifndef IX_SCHEMA_NEAREST_H
#define IX_SCHEMA_NEAREST_H

#include <stddef.h>

enum { IX_NEAREST_MAX = 200 }; /* bytes of a name that is compared */

/* Levenshtein's distance of bytes (Wagner and Fischer 1974); both at most IX_NEAREST_MAX long.
 * O(product of the lengths). */
size_t ix_edit_distance(const char *a, const char *b);

/* The name that was probably meant: the first of those that differ from `wanted` least, in at most
 * two bytes and at most half of them. NULL: there is none. */
const char *ix_nearest(const char *wanted, const char *const *names, size_t count);

#endif
