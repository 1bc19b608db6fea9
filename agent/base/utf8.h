/* SPDX-License-Identifier: Apache-2.0 */
/* Converts Java's modified UTF-8 (JVM specification 4.4.7) to UTF-8. */
#ifndef IX_AGENT_UTF8_H
#define IX_AGENT_UTF8_H

#include "schema/base/bytes.h"

/* Appends `text` to `out` as UTF-8 without zero bytes: surrogate pairs become one character; NUL
 * (C0 80), a lone surrogate and each invalid byte become U+FFFD. Four-byte characters of standard
 * UTF-8 are kept, because options and environment variables contain them. Adds no terminator.
 * O(bytes). */
void ixa_put_utf8(struct ix_out *out, const char *text, size_t len);
/* Replaces the contents of `out` with this text and a terminator. NULL when out of memory. */
const char *ixa_utf8(struct ix_out *out, const char *text, size_t len);
/* Turns the string in an array of `size` bytes into UTF-8 in place. Text that no longer fits is cut
 * at a character's boundary; out of memory: unchanged. */
void ixa_clean_utf8(char *text, size_t size);

#endif
