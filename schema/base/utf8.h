/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 (RFC 3629). */
#ifndef IX_SCHEMA_UTF8_H
#define IX_SCHEMA_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Length of the well-formed character at `text`, 1 to 4, reading at most `len` bytes; 0 if there is
 * none. Overlong forms, surrogates and code points above U+10FFFF are not well-formed. */
size_t ix_utf8_length(const char *text, size_t len);
/* The same, with its code point in *code, which is undefined if there is none. */
size_t ix_utf8_decode(const char *text, size_t len, uint32_t *code);
/* The length of `text`, or, if it is longer than `max` bytes, the greatest length up to `max` that
 * does not end within a character. Reads at most max + 1 bytes. */
size_t ix_utf8_bounded(const char *text, size_t max);

#endif
